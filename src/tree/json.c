/* SPDX-License-Identifier: MIT */
#include "json.h"

#include <stdarg.h>
#include <stdio.h>

bool anm_json_number(cJSON *object, const char *name, double value)
{
    return cJSON_AddNumberToObject(object, name, value) != NULL;
}

bool anm_json_warn(cJSON *warnings, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cJSON *item = cJSON_CreateString(text);
    if (item && cJSON_AddItemToArray(warnings, item))
        return true;
    cJSON_Delete(item);
    return false;
}

int anm_json_print(const cJSON *root, struct anm_buf *out, struct anm_error *err)
{
    char *text = cJSON_Print(root);
    if (!text)
        return anm_fail_nomem(err);
    anm_buf_puts(out, text);
    anm_buf_putc(out, '\n');
    cJSON_free(text);
    return 0;
}

void anm_json_clean(cJSON **json)
{
    cJSON_Delete(*json);
}
