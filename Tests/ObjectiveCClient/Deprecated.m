#import "Client.h"

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

// The names of the log level in the pre-releases of 2.3.
static void checkDeprecatedLogLevel(void)
{
    MagicalRecordLogLevel level = [MagicalRecord logLevel];
    [MagicalRecord setLogLevel:MagicalRecordLogLevelWarn];
    CHECK([MagicalRecord loggingLevel] == MagicalRecordLoggingLevelWarn);
    [MagicalRecord setLogLevel:level];
    CHECK([MagicalRecord logLevel] == level);
}

static void checkDeprecatedSaves(NSManagedObjectContext *context)
{
    __block NSInteger done = 0;
    void (^completion)(void) = ^{ done += 1; };
    void (^failure)(NSError *) = ^(NSError *error) { CHECK(error == nil); };
    CoreDataBlock block = ^(NSManagedObjectContext *localContext) { [User MR_createEntityInContext:localContext]; };

    addUser(@"1", 1, 1);
    [context MR_save];
    CHECK(!context.hasChanges);
    [context MR_saveWithErrorCallback:failure];
    addUser(@"2", 2, 2);
    [context MR_saveInBackgroundCompletion:completion];
    CHECK(waitUntil(^{ return (BOOL)(done == 1); }));
    [context MR_saveInBackgroundErrorHandler:failure];
    addUser(@"3", 3, 3);
    [context MR_saveInBackgroundErrorHandler:failure completion:completion];
    CHECK(waitUntil(^{ return (BOOL)(done == 2); }));
    [context MR_saveNestedContexts];
    [context MR_saveNestedContextsErrorHandler:failure];
    addUser(@"4", 4, 4);
    [context MR_saveNestedContextsErrorHandler:failure completion:completion];
    CHECK(waitUntil(^{ return (BOOL)(done == 3); }));

    [MagicalRecord saveUsingCurrentThreadContextWithBlockAndWait:block];
    [MagicalRecord saveUsingCurrentThreadContextWithBlock:block
                                               completion:^(BOOL saved, __unused NSError *error) {
                                                   CHECK(saved);
                                                   done += 1;
                                               }];
    CHECK(waitUntil(^{ return (BOOL)(done == 4); }));
    [MagicalRecord saveInBackgroundWithBlock:block];
    [MagicalRecord saveInBackgroundWithBlock:block completion:completion];
    CHECK(waitUntil(^{ return (BOOL)(done == 5); }));
    [MagicalRecord saveInBackgroundUsingCurrentContextWithBlock:block completion:completion errorHandler:nil];
    CHECK(waitUntil(^{ return (BOOL)(done == 6); }));
}

void checkDeprecated(void)
{
    startInMemory();
    NSManagedObjectContext *context = [NSManagedObjectContext MR_defaultContext];
    User *user = [User MR_createInContext:context];
    CHECK([user MR_inThreadContext] == user);
    [user MR_deleteInContext:context];
    CHECK([User MR_countOfEntities] == 0);

    CHECK([NSManagedObjectContext MR_contextForCurrentThread] == context);
    [NSManagedObjectContext MR_clearNonMainThreadContextsCache];
    [NSManagedObjectContext MR_clearContextForCurrentThread];
    [NSManagedObjectContext MR_resetContextForCurrentThread];
    CHECK([NSManagedObjectContext MR_contextWithoutParent].parentContext == nil);
    CHECK([NSManagedObjectContext MR_newContext].parentContext != nil);
    CHECK([NSManagedObjectContext MR_newContextWithParent:context].parentContext == context);
    NSPersistentStoreCoordinator *coordinator = context.persistentStoreCoordinator;
    CHECK(coordinator != nil);
    if (coordinator != nil) {
        CHECK([NSManagedObjectContext MR_newContextWithStoreCoordinator:coordinator].parentContext == nil);
    }
    checkDeprecatedLogLevel();
    checkDeprecatedSaves(context);
}
