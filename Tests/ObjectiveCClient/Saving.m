#import "Client.h"

static BOOL isSaved(NSString *name)
{
    NSManagedObjectContext *root = [NSManagedObjectContext MR_rootSavingContext];
    __block BOOL found = NO;
    [root performBlockAndWait:^{
        User *user = [User MR_findFirstByAttribute:@"name" withValue:name inContext:root];
        found = user != nil && !user.objectID.temporaryID && !user.hasChanges;
    }];
    return found;
}

void checkSaving(void)
{
    startInMemory();
    NSManagedObjectContext *context = [NSManagedObjectContext MR_defaultContext];
    __block NSInteger done = 0;
    MRSaveCompletionHandler completion = ^(BOOL contextDidSave, NSError *_Nullable error) {
        CHECK(contextDidSave && error == nil);
        done += 1;
    };

    // Blocks with a context of their own.
    [MagicalRecord saveWithBlockAndWait:^(NSManagedObjectContext *localContext) {
        [User MR_createEntityInContext:localContext].name = @"waiting";
    }];
    CHECK(isSaved(@"waiting"));
    [MagicalRecord saveWithBlock:^(NSManagedObjectContext *localContext) {
        [User MR_createEntityInContext:localContext].name = @"later";
    } completion:completion];
    CHECK(waitUntil(^{ return (BOOL)(done == 1); }) && isSaved(@"later"));
    CoreDataBlock block = ^(NSManagedObjectContext *localContext) {
        [User MR_createEntityInContext:localContext].name = @"last";
    };
    [MagicalRecord saveWithBlock:block];
    CHECK(waitUntil(^{ return isSaved(@"last"); }));

    // Contexts.
    addUser(@"self", 1, 1);
    [context MR_saveOnlySelfAndWait];
    CHECK(!context.hasChanges);
    addUser(@"self later", 2, 2);
    [context MR_saveOnlySelfWithCompletion:completion];
    CHECK(waitUntil(^{ return (BOOL)(done == 2); }));
    addUser(@"store", 3, 3);
    [context MR_saveToPersistentStoreAndWait];
    CHECK(isSaved(@"store") && isSaved(@"self"));
    addUser(@"store later", 4, 4);
    [context MR_saveToPersistentStoreWithCompletion:completion];
    CHECK(waitUntil(^{ return (BOOL)(done == 3); }) && isSaved(@"store later"));
    addUser(@"options", 5, 5);
    [context MR_saveWithOptions:MRSaveParentContexts | MRSaveSynchronously completion:completion];
    CHECK(waitUntil(^{ return (BOOL)(done == 4); }) && isSaved(@"options"));
    [context MR_saveWithOptions:MRSaveOptionNone completion:nil];
    [context MR_saveWithOptions:MRSaveParentContexts | MRSaveSynchronouslyExceptRootContext completion:nil];

    // Through a context.
    [context MR_saveWithBlockAndWait:^(NSManagedObjectContext *localContext) {
        CHECK(localContext.parentContext == context);
        [User MR_createEntityInContext:localContext].name = @"chain";
    }];
    CHECK(isSaved(@"chain"));
    [context MR_saveWithBlock:^(NSManagedObjectContext *localContext) {
        [User MR_createEntityInContext:localContext].name = @"chain later";
    } completion:completion];
    CHECK(waitUntil(^{ return (BOOL)(done == 5); }) && isSaved(@"chain later"));
    [context MR_saveWithBlock:block];
    CHECK(waitUntil(^{ return (BOOL)([User MR_findByAttribute:@"name" withValue:@"last"].count == 2); }));
}

void checkContexts(void)
{
    startInMemory();
    NSManagedObjectContext *context = [NSManagedObjectContext MR_defaultContext];
    NSManagedObjectContext *root = [NSManagedObjectContext MR_rootSavingContext];
    NSPersistentStoreCoordinator *coordinator = [NSPersistentStoreCoordinator MR_defaultStoreCoordinator];
    CHECK(context.parentContext == root && context.concurrencyType == NSMainQueueConcurrencyType);
    CHECK([NSManagedObjectContext MR_context].parentContext == root);
    NSManagedObjectContext *child = [NSManagedObjectContext MR_contextWithParent:context];
    CHECK(child.parentContext == context);
    CHECK([NSManagedObjectContext MR_contextWithStoreCoordinator:coordinator].parentContext == nil);
    CHECK([NSManagedObjectContext MR_newMainQueueContext].concurrencyType == NSMainQueueConcurrencyType);
    CHECK([NSManagedObjectContext MR_newPrivateQueueContext].concurrencyType == NSPrivateQueueConcurrencyType);
    [NSManagedObjectContext MR_initializeDefaultContextWithCoordinator:coordinator];
    CHECK([NSManagedObjectContext MR_defaultContext] == context);
    [child MR_setWorkingName:@"Child"];
    CHECK([[child MR_workingName] isEqualToString:@"Child"]);
    CHECK([[child MR_description] containsString:@"Child"]);
    CHECK([[child MR_parentChain] containsString:@"Child"]);

    // Observing.
    NSManagedObjectContext *beside = [NSManagedObjectContext MR_context];
    [context MR_observeContext:beside];
    [context MR_stopObservingContext:beside];
    [context MR_observeContextOnMainThread:beside];
    [context MR_stopObservingContext:beside];

    addUser(@"forgotten", 1, 1);
    [NSManagedObjectContext MR_resetDefaultContext];
    CHECK(waitUntil(^{ return (BOOL)!context.hasChanges; }));
}
