"""Writes the Objective-C that articles show as files to compile: objective-c-articles.py FOLDER ARTICLE...

Each block marked as objc becomes one file: its imports and macros, then the client's model, then the rest, which is the
body of a method unless it declares or implements a class.
"""
import os
import re
import sys

BEFORE = """@interface Article : NSObject
- (void)runWithContext:(NSManagedObjectContext *)context user:(User *)user records:(NSArray *)records
             predicate:(NSPredicate *)predicate;
@end
@implementation Article
- (void)runWithContext:(__unused NSManagedObjectContext *)context user:(__unused User *)user
               records:(__unused NSArray *)records predicate:(__unused NSPredicate *)predicate
{
"""
AFTER = """
}
@end
"""

folder, articles = sys.argv[1], sys.argv[2:]
count = 0
for article in articles:
    lines = open(article, encoding="utf-8").read().split("\n")
    starts = [number for number, line in enumerate(lines) if line == "```objc"]
    if not starts:
        sys.exit(f"{article} shows no Objective-C")
    for start in starts:
        end = lines.index("```", start)
        block = lines[start + 1:end]
        size = 0
        while size < len(block) and re.match(r"#|@import|//|\s*$", block[size]):
            size += 1
        rest = "\n".join(block[size:])
        if rest and not re.search(r"^@(interface|implementation)", rest, re.M):
            before, after = BEFORE, AFTER
        else:
            before, after = "", "\n"
        name = os.path.splitext(os.path.basename(article))[0]
        with open(os.path.join(folder, f"{name}-{start + 1}.m"), "w", encoding="utf-8") as file:
            file.write(f'#line {start + 2} "{article}"\n' + "\n".join(block[:size]) + "\n")
            file.write('#import "Client.h"\n#import "Program-Swift.h"\n' + before)
            file.write(f'#line {start + 2 + size} "{article}"\n' + rest + after)
        count += 1
print(f"{count} blocks of Objective-C in articles")
