/* SPDX-License-Identifier: MIT */
#include "dump.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_put(struct anm_buf *out, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? (uint32_t)bytes[i + 2] : 0);
        const char four[] = {digits[three >> 18], digits[three >> 12 & 63], left > 1 ? digits[three >> 6 & 63] : '=',
                             left > 2 ? digits[three & 63] : '='};
        anm_buf_put(out, four, sizeof four);
    }
}

bool base64_read(struct anm_buf *out, const char *text, size_t size)
{
    if (size % 4 != 0)
        return false;
    for (size_t i = 0; i < size; i += 4) {
        size_t padding = i + 4 < size ? 0 : (text[i + 3] == '=') + (size_t)(text[i + 3] == '=' && text[i + 2] == '=');
        uint32_t three = 0;
        for (size_t k = 0; k < 4; k++) {
            const char *digit = k < 4 - padding ? memchr(digits, text[i + k], sizeof digits - 1) : digits;
            if (!digit)
                return false;
            three = three << 6 | (uint32_t)(digit - digits);
        }
        const uint8_t bytes[] = {(uint8_t)(three >> 16), (uint8_t)(three >> 8), (uint8_t)three};
        anm_buf_put(out, bytes, 3 - padding);
    }
    return true;
}
