# SPDX-License-Identifier: MIT
"""Checks a JSON file against a schema: the few words of JSON Schema that ours uses, and no others."""
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "number": (int, float), "integer": int}


def fail(where, what):
    raise ValueError(f"{where or '/'}: {what}")


def check(schema, value, where, root):
    """Raises ValueError where `value` is not as `schema` says."""
    for word, wanted in schema.items():
        if word in ("$schema", "$comment", "$id", "$defs", "title", "description"):
            continue
        if word == "$ref":
            target = root
            for step in wanted.removeprefix("#/").split("/"):
                target = target[step]
            check(target, value, where, root)
        elif word == "type":
            if not isinstance(value, TYPES[wanted]) or isinstance(value, bool):
                fail(where, f"expected {wanted}")
        elif word == "required":
            for name in wanted:
                if name not in value:
                    fail(where, f"there is no {name}")
        elif word == "properties":
            for name in wanted.keys() & value.keys():
                check(wanted[name], value[name], f"{where}/{name}", root)
        elif word == "additionalProperties":
            for name in value.keys() - schema["properties"].keys():
                fail(where, f"{name} is unknown")
        elif word == "items":
            for i, item in enumerate(value):
                check(wanted, item, f"{where}/{i}", root)
        elif word == "oneOf":
            if sum(holds(one, value, root) for one in wanted) != 1:
                fail(where, "is none of what it can be, or several")
        elif word in ("minItems", "maxItems"):
            if len(value) < wanted if word == "minItems" else len(value) > wanted:
                fail(where, f"has {len(value)} items")
        elif word == "minimum":
            if value < wanted:
                fail(where, f"is below {wanted}")
        elif word == "pattern":
            if not re.search(wanted, value):
                fail(where, f"does not match {wanted}")
        else:
            fail(where, f"the schema has the unknown word {word}")


def holds(schema, value, root):
    try:
        check(schema, value, "", root)
    except ValueError:
        return False
    return True


def unique(pairs):
    if len(dict(pairs)) != len(pairs):
        fail("", "a name stands twice")
    return dict(pairs)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        value = json.load(file, object_pairs_hook=unique)
    check(schema, value, "", schema)
    try:
        import jsonschema  # the real one, where it is there
    except ImportError:
        return
    jsonschema.validate(value, schema)


main()
