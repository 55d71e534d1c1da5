#!/usr/bin/env python3
"""Compares what Objective-C sees of MagicalRecord with what it saw of version 2.4, and says what is missing.

Argument: the header the Swift compiler wrote. The original's selectors are listed in a file of the tests.
"""
import glob
import re
import sys

TARGET = "Sources/MagicalRecordObjC"
HEADERS = TARGET + "/include/MagicalRecord"
LIST = "Tests/MagicalRecordTests/Legacy/OriginalDeclarations.swift"
# Implemented by the program, and looked for at run time.
PROTOCOLS = {"MagicalRecord_MOGenerator", "MagicalRecordDataImportProtocol"}
DOCUMENT = "Sources/MagicalRecord/MagicalRecord.docc/ObjectiveCNames.md"
SUPERCLASSES = {"NSNumber": "NSObject", "NSString": "NSObject", "NSAttributeDescription": "NSObject"}
# Classes whose methods also have names without prefix, and the two that are left out.
SHORT_CLASSES = ["NSManagedObject", "NSManagedObjectContext", "NSManagedObjectModel", "NSPersistentStore",
                 "NSPersistentStoreCoordinator"]
NO_SHORT_NAME = {("NSManagedObject", "+MR_entityName"), ("NSManagedObjectContext", "-MR_description")}
FUNCTIONS = ["MR_dateFromString", "MR_dateFromNumber", "MR_adjustDateForDST", "MR_numberFromString",
             "MR_attributeNameFromString", "MR_primaryKeyNameFromString", "MR_colorFromString",
             "MR_newColorComponentsFromString"]
OTHER_NAMES = ["MRLogError", "MRLogWarn", "MRLogInfo", "MRLogDebug", "MRLogVerbose", "MR_SHORTHAND",
               "MR_LOGGING_DISABLED", "MR_LOGGING_CONTEXT", "MRSaveOptions", "MRSaveOptionNone", "MRSaveParentContexts",
               "MRSaveSynchronously", "MRSaveSynchronouslyExceptRootContext", "CoreDataBlock", "MRSaveCompletionHandler",
               "MagicalRecordVersionTag", "MagicalRecordVersionTag2_2", "MagicalRecordVersionTag2_3",
               "MagicalRecordVersionTag3_0", "MagicalRecordVersionNumber", "MagicalRecordDataImportProtocol",
               "MagicalRecord_MOGenerator", "MagicalRecordLoggingMask", "MagicalRecordLoggingLevel"]
OTHER_NAMES += ["MagicalRecordLoggingMask" + kind for kind in ["Error", "Warn", "Info", "Debug", "Verbose"]]
OTHER_NAMES += ["MagicalRecordLoggingLevel" + level
                for level in ["Off", "Error", "Warn", "Info", "Debug", "Verbose", "All"]]

problems = []


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def selector(declaration):
    """The selector of `+ (type)name:(type)argument …`, with its sign."""
    sign, rest = declaration[0], declaration[1:].strip()
    depth = 0
    flat = ""  # Without what stands in parentheses.
    for character in re.sub(r'"[^"]*"', "", rest):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0 and character != ")":
            flat += character
    parts = re.findall(r"(\w+):", flat)
    return sign + ("".join(part + ":" for part in parts) if parts else flat.split()[0])


def declared(text):
    """(class, selector) of every method in the text's interfaces, implementations or categories."""
    found = set()
    blocks = re.finditer(r"^@(?:interface|implementation) (\w+)(.*?)^@end", without_comments(text), re.M | re.S)
    for block in blocks:
        for method in re.finditer(r"^[+-] ?\([^;{]*", block[2], re.M):
            found.add((block[1], selector(method[0].strip())))
    return found


def exported_by_swift(text):
    """(class, selector) of every method with `@objc(…)` in an extension."""
    found = set()
    for block in re.finditer(r"^extension (\w+) \{\n(.*?)^\}", text, re.M | re.S):
        for method in re.finditer(r"@objc\(([\w:]+)\)\s+(?:public )?(class )?func", block[2]):
            found.add((block[1], ("+" if method[2] else "-") + method[1]))
    return found


def original_selectors(text):
    """(class, selector) of every method in the list."""
    found = []
    for name in re.findall(r'"([\w:+-]+)"', text):
        if name[0] not in "+-":
            owner = name
        elif owner not in PROTOCOLS:
            found.append((owner, name))
    return found


def expect(condition, message):
    if not condition:
        problems.append(message)


generated = declared(read(sys.argv[1]))
by_hand = declared(read(HEADERS + "/MagicalRecordSelectors.h"))
short = declared(read(HEADERS + "/MagicalRecordShorthandMethodAliases.h"))
swift_text = "".join(read(path) for path in glob.glob("Sources/MagicalRecord/**/*.swift", recursive=True))
in_swift = exported_by_swift(swift_text)
target_text = "".join(read(path) for path in glob.glob(TARGET + "/*.m"))
header_text = "".join(read(path) for path in glob.glob(HEADERS + "/*.h"))
implemented = in_swift | declared(target_text)
private = declared(read(TARGET + "/MagicalRecord+Private.h"))
original = original_selectors(read(LIST))
document = read(DOCUMENT)
client_text = "".join(read(path) for path in glob.glob("Tests/ObjectiveCClient/*.m"))

expect(len(set(original)) == 236, f"{LIST} has {len(set(original))} selectors, not 236")
expect(("NSManagedObject", "+MR_none") not in generated | by_hand, "a selector that does not exist was found")

# Every selector is declared, once, and in the table of the documentation.
for name in original:
    inherited = (SUPERCLASSES.get(name[0]), name[1])
    places = [part for part in (generated, by_hand) if name in part or inherited in part]
    expect(places, f"not declared: {name[1][0]}[{name[0]} {name[1][1:]}]")
    expect(len(places) < 2, f"declared twice: {name[1][0]}[{name[0]} {name[1][1:]}]")
    expect(f"`{name[1]}`" in document, f"not in {DOCUMENT}: {name[1]}")
    first = name[1][1:].split(":")[0]
    expect(re.search(r"\b" + first + r"\b", client_text), f"not used by the client: {name[1]}")

# Nothing is declared that nobody implements; the client's side of Swift's own exports is the compiler's care.
for name in sorted(by_hand | private):
    expect(name in implemented, f"declared by hand, but not implemented: {name[0]} {name[1]}")
for name in sorted(in_swift - generated - by_hand - private):
    expect(False, f"in Swift, but declared nowhere: {name[0]} {name[1]}")

# The names without prefix are those with prefix.
with_prefix = {name for name in generated | by_hand if name[0] in SHORT_CLASSES and name[1][1:4] == "MR_"}
expected = {(owner, name[0] + name[4:]) for owner, name in with_prefix - NO_SHORT_NAME}
for name in sorted(expected - short):
    expect(False, f"no short name: {name[0]} {name[1]}")
for name in sorted(short - expected):
    expect(False, f"a short name of nothing: {name[0]} {name[1]}")

# Functions, and constants with the values Swift has.
for name in FUNCTIONS:
    expect(re.search(r"FOUNDATION_EXPORT [^;]*\b" + name + r"\(", header_text), f"not declared: {name}")
    expect(re.search(r"\b" + name + r"\([^;]*?\)\s*(?:#\w+\s*)?\{", target_text), f"not implemented: {name}")
constants = dict(re.findall(r'NSString \*const (\w+) =\s*@"([^"]*)";', target_text))
expect(len(constants) == 18, f"{len(constants)} constants, not 18")
swift_values = dict(re.findall(r'public let (k\w+) = "([^"]*)"', swift_text))
# Constants that stand for a member of an enumeration.
members = {}
for owner, body in re.findall(r"^enum (ImportKey) \{\n(.*?)^\}", swift_text, re.MULTILINE | re.DOTALL):
    members |= {f"{owner}.{name}": value for name, value in re.findall(r'static let (\w+) = "([^"]*)"', body)}
for name, member in re.findall(r"public let (k\w+) = (\w+\.\w+)$", swift_text, re.MULTILINE):
    swift_values[name] = members.get(member)
notifications = set(re.findall(r'NSNotification\.Name\(\s*"(\w+)"', swift_text))
for name, value in constants.items():
    agrees = swift_values.get(name) == value or (name == value and value in notifications)
    expect(agrees, f"Swift has another value for {name}, or none")
    expect(re.search(r"NSString \*const " + name + r"\b", header_text), f"not declared: {name}")
version = re.search(r"MagicalRecordVersionNumber: Double = ([\d.]+)", swift_text)[1]
expect(f"MagicalRecordVersionNumber = {version};" in target_text, "another version number")
visible = header_text + read(sys.argv[1])
for name in FUNCTIONS + list(constants) + OTHER_NAMES:
    expect(f"`{name}`" in document, f"not in {DOCUMENT}: {name}")
    expect(re.search(r"\b" + name + r"\b", visible) or name == "MR_LOGGING_CONTEXT", f"not declared: {name}")

# Every header but the private one is in the module map.
module_map = read(TARGET + "/include/module.modulemap")
for path in glob.glob(HEADERS + "/*.h"):
    expect(f'"MagicalRecord/{path.rsplit("/", 1)[1]}"' in module_map, f"not in the module map: {path}")

for problem in sorted(problems):
    print(problem)
exported = sum(1 for name in original if name not in by_hand)
print(f"Objective-C's names: {len(original)} selectors ({exported} exported, {len(original) - exported} declared by hand), "
      f"{len(short)} short names, {len(FUNCTIONS)} functions, {len(constants)} constants; {len(problems)} missing or wrong")
sys.exit(1 if problems else 0)
