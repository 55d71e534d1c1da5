#import "Client.h"

void checkCreating(void)
{
    startInMemory();
    NSManagedObjectContext *context = [NSManagedObjectContext MR_defaultContext];
    User *ann = [User MR_createEntity];
    User *bob = [User MR_createEntityInContext:context];
    [User MR_createEntityInContext:context];
    ann.name = @"Ann";
    bob.name = @"Bob";
    CHECK([User MR_countOfEntities] == 3);
    CHECK([User MR_createEntityInContext:nil].managedObjectContext == nil);
    CHECK([User MR_countOfEntities] == 3);

    // Deleting: results may be left unused.
    [ann MR_deleteEntity];
    [bob MR_deleteEntityInContext:context];
    CHECK([User MR_countOfEntities] == 1);
    [User MR_truncateAll];
    addUser(@"Ann", 1, 1);
    addUser(@"Bob", 2, 2);
    [User MR_deleteAllMatchingPredicate:[NSPredicate predicateWithFormat:@"age == 1"]];
    CHECK([User MR_countOfEntities] == 1);
    [User MR_deleteAllMatchingPredicate:[NSPredicate predicateWithFormat:@"age == 2"] inContext:context];
    CHECK([User MR_countOfEntities] == 0);
    addUser(@"Ann", 1, 1);
    [User MR_truncateAllInContext:context];
    CHECK([User MR_countOfEntities] == 0);

    // Collections of any kind.
    NSArray<User *> *users = @[ addUser(@"a", 1, 1), addUser(@"b", 2, 2), addUser(@"c", 3, 3) ];
    [context MR_deleteObjects:@[ users[0] ]];
    [context MR_deleteObjects:[NSSet setWithArray:@[ users[1] ]]];
    [context MR_deleteObjects:[NSOrderedSet orderedSetWithArray:@[ users[2] ]]];
    CHECK([User MR_countOfEntities] == 0);

    // The same object elsewhere.
    User *cid = addUser(@"Cid", 3, 3);
    [context MR_saveToPersistentStoreAndWait];
    NSManagedObjectContext *other = [NSManagedObjectContext MR_context];
    [other performBlockAndWait:^{
        User *same = [cid MR_inContext:other];
        CHECK(same.managedObjectContext == other && [same.name isEqualToString:@"Cid"]);
    }];

    // What classes say about themselves.
    CHECK([[User MR_entityName] isEqualToString:@"User"]);
    CHECK([[OtherName MR_entityName] isEqualToString:@"Renamed"]);
    CHECK([[OtherName MR_entityDescription].name isEqualToString:@"Renamed"]);
    CHECK([[OtherName MR_createEntity].entity.name isEqualToString:@"Renamed"]);
    CHECK([OtherName MR_countOfEntities] == 1);
    CHECK([[Generated MR_entityName] isEqualToString:@"Machine"]);
    Generated.insertions = 0;
    CHECK([[Generated MR_createEntity].entity.name isEqualToString:@"Machine"]);
    CHECK(Generated.insertions == 1);
    CHECK([Generated MR_findFirstOrCreateByAttribute:@"name" withValue:@"new"] != nil);
    CHECK(Generated.insertions == 2);
}
