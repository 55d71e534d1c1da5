// A program that uses MagicalRecord from Objective-C as programs written for version 2.4 do: every selector, function,
// constant and macro. It prints what does not hold, and "passed" at the end.

#import "Client.h"
#include <stdio.h>

static int failures = 0;
static int checks = 0;

void check(BOOL fulfilled, const char *text, const char *file, int line)
{
    checks += 1;
    if (fulfilled) {
        return;
    }
    failures += 1;
    fprintf(stderr, "%s:%d: %s\n", file, line, text);
}

BOOL waitUntil(BOOL (^isDone)(void))
{
    NSDate *end = [NSDate dateWithTimeIntervalSinceNow:10];
    while (!isDone()) {
        if (end.timeIntervalSinceNow < 0) {
            return NO;
        }
        [[NSRunLoop mainRunLoop] runMode:NSDefaultRunLoopMode
                              beforeDate:[NSDate dateWithTimeIntervalSinceNow:0.01]];
    }
    return YES;
}

void startInMemory(void)
{
    [MagicalRecord cleanUp];
    [NSManagedObjectModel MR_setDefaultManagedObjectModel:makeModel()];
    [MagicalRecord setupCoreDataStackWithInMemoryStore];
}

void startOnDisk(void)
{
    [MagicalRecord cleanUp];
    [NSManagedObjectModel MR_setDefaultManagedObjectModel:makeModel()];
    NSString *name = [NSString stringWithFormat:@"MagicalRecord-%@.sqlite", [NSUUID UUID].UUIDString];
    NSString *path = [NSTemporaryDirectory() stringByAppendingPathComponent:name];
    [MagicalRecord setupCoreDataStackWithStoreAtURL:[NSURL fileURLWithPath:path]];
}

User *addUser(NSString *name, NSInteger identifier, NSInteger age)
{
    User *user = [User MR_createEntity];
    user.name = name;
    user.userID = @(identifier);
    user.age = @(age);
    return user;
}

int main(void)
{
    @autoreleasepool {
        [MagicalRecord setLoggingLevel:MagicalRecordLoggingLevelError];
        checkValues();
        checkCreating();
        checkFinding();
        checkRequests();
        checkFetchedResults();
        checkAggregation();
        checkImporting();
        checkSaving();
        checkContexts();
        checkErrorsAndLogging();
        checkICloud();
        checkDeprecated();
        checkSettingUp();
        checkShorthand();
        checkOldProgram();
        [MagicalRecord cleanUp];
    }
    if (failures > 0) {
        fprintf(stderr, "%d of %d checks failed\n", failures, checks);
        return 1;
    }
    printf("passed: %d checks\n", checks);
    return 0;
}
