#define MR_SHORTHAND
#import "CoreData+MagicalRecord.h"
#import "Client.h"

void checkShorthand(void)
{
    startInMemory();
    [MagicalRecord enableShorthandMethods];
    NSManagedObjectContext *context = [NSManagedObjectContext defaultContext];
    User *ann = [User createEntity];
    ann.name = @"Ann";
    User *bob = [User createEntityInContext:context];
    bob.name = @"Bob";
    [context saveToPersistentStoreAndWait];
    NSArray<User *> *all = [User findAllSortedBy:@"name" ascending:NO];
    CHECK(all.count == 2 && all[0] == bob);
    CHECK([User findFirstByAttribute:@"name" withValue:@"Ann"] == ann);
    CHECK([User countOfEntities] == 2 && [User numberOfEntities].integerValue == 2);
    NSFetchRequest<User *> *request = [User requestAllWhere:@"name" isEqualTo:@"Ann"];
    CHECK([User executeFetchRequest:request].count == 1);
    CHECK([User findFirstWithPredicate:nil sortedBy:@"name" ascending:YES andRetrieveAttributes:@[ @"name" ], nil]);
    CHECK([User importFromObject:@{@"userID" : @3}].userID.integerValue == 3);
    [ann deleteEntity];
    CHECK([User countOfEntities] == 2);
    [User truncateAll];
    CHECK([User hasAtLeastOneEntity] == NO);
    // Every one of these is let go of once: names with "new" would else be taken to hand their result over.
    for (NSInteger round = 0; round < 100; round++) {
        CHECK([NSManagedObjectContext newPrivateQueueContext].parentContext == nil);
    }
    CHECK([NSManagedObjectContext rootSavingContext] == context.parentContext);
    CHECK([NSPersistentStoreCoordinator defaultStoreCoordinator] == context.persistentStoreCoordinator);
    CHECK([NSManagedObjectModel defaultManagedObjectModel] != nil);
    CHECK([NSPersistentStore urlForStoreName:@"x.sqlite"] != nil);
}
