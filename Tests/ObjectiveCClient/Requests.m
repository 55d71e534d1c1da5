#import "Client.h"

void checkRequests(void)
{
    startInMemory();
    NSManagedObjectContext *context = [NSManagedObjectContext MR_defaultContext];
    addUser(@"Ann", 1, 30);
    addUser(@"Bob", 2, 20);
    NSPredicate *young = [NSPredicate predicateWithFormat:@"age < %@", @30];

    NSFetchRequest<User *> *request = [User MR_requestAll];
    NSFetchRequest *plain = [User MR_requestAllInContext:context];
    CHECK([request.entityName isEqualToString:@"User"] && [plain.entityName isEqualToString:@"User"]);
    request = [User MR_createFetchRequest];
    CHECK(request.predicate == nil);
    request = [User MR_createFetchRequestInContext:context];
    CHECK(request.sortDescriptors.count == 0);
    request = [User MR_requestAllWithPredicate:young];
    CHECK(request.predicate != nil);
    request = [User MR_requestAllWithPredicate:nil inContext:context];
    CHECK(request.predicate == nil);
    request = [User MR_requestAllWhere:@"name" isEqualTo:@"Ann"];
    CHECK([User MR_executeFetchRequest:request].count == 1);
    request = [User MR_requestAllWhere:@"name" isEqualTo:nil inContext:context];
    CHECK([User MR_executeFetchRequest:request inContext:context].count == 0);
    request = [User MR_requestFirstWithPredicate:young];
    CHECK(request.fetchLimit == 1);
    request = [User MR_requestFirstWithPredicate:young inContext:context];
    CHECK(request.fetchLimit == 1);
    request = [User MR_requestFirstByAttribute:@"name" withValue:@"Bob"];
    CHECK([[User MR_executeFetchRequestAndReturnFirstObject:request].name isEqualToString:@"Bob"]);
    request = [User MR_requestFirstByAttribute:@"name" withValue:@"Bob" inContext:context];
    CHECK([User MR_executeFetchRequestAndReturnFirstObject:request inContext:context].age.integerValue == 20);
    request = [User MR_requestAllSortedBy:@"age" ascending:YES];
    CHECK(request.sortDescriptors.count == 1);
    request = [User MR_requestAllSortedBy:@"age,name" ascending:YES inContext:context];
    CHECK(request.sortDescriptors.count == 2 && request.sortDescriptors[1].ascending);
    request = [User MR_requestAllSortedBy:@"age:NO" ascending:YES withPredicate:young];
    CHECK(request.sortDescriptors[0].ascending == NO);
    request = [User MR_requestAllSortedBy:nil ascending:YES withPredicate:nil inContext:context];
    CHECK(request.sortDescriptors.count == 0);

    // What a request asks for is what comes back, though it be no objects.
    plain = [User MR_requestAllInContext:context];
    plain.resultType = NSManagedObjectIDResultType;
    CHECK([[User MR_executeFetchRequest:plain].firstObject isKindOfClass:[NSManagedObjectID class]]);

    CHECK([User MR_ascendingSortDescriptors:@[ @"name", @"age" ]].count == 2);
    CHECK([User MR_descendingSortDescriptors:@[ @"name" ]][0].ascending == NO);
    CHECK([User MR_propertiesNamed:@[ @"name", @"none" ]].count == 1);
    CHECK([User MR_propertiesNamed:@[ @"name", @"age" ] inContext:context].count == 2);
    CHECK([[User MR_entityDescription].name isEqualToString:@"User"]);
    CHECK([[Team MR_entityDescriptionInContext:context].name isEqualToString:@"Team"]);
    NSUInteger size = [User MR_defaultBatchSize];
    [User MR_setDefaultBatchSize:7];
    CHECK([Team MR_defaultBatchSize] == 7);
    [User MR_setDefaultBatchSize:size];
}

void checkFetchedResults(void)
{
    startInMemory();
    NSManagedObjectContext *context = [NSManagedObjectContext MR_defaultContext];
    addUser(@"Ann", 1, 30);
    addUser(@"Bob", 2, 20);
    NSFetchedResultsController<User *> *controller;
    controller = [User MR_fetchAllSortedBy:@"name" ascending:YES withPredicate:nil groupBy:nil delegate:nil];
    CHECK([controller.fetchedObjects.firstObject.name isEqualToString:@"Ann"]);
    controller = [User MR_fetchAllSortedBy:@"name"
                                 ascending:NO
                             withPredicate:nil
                                   groupBy:nil
                                  delegate:nil
                                 inContext:context];
    CHECK([controller.fetchedObjects.firstObject.name isEqualToString:@"Bob"]);
    controller = [User MR_fetchAllGroupedBy:@"age" withPredicate:nil sortedBy:@"age" ascending:YES];
    CHECK(controller.fetchedObjects.count == 2);
    controller = [User MR_fetchAllGroupedBy:nil withPredicate:nil sortedBy:@"age" ascending:YES inContext:context];
    CHECK(controller.fetchedObjects.count == 2);
    controller = [User MR_fetchAllGroupedBy:nil withPredicate:nil sortedBy:@"age" ascending:YES delegate:nil];
    CHECK(controller.fetchedObjects.count == 2);
    controller = [User MR_fetchAllGroupedBy:nil
                              withPredicate:nil
                                   sortedBy:@"age"
                                  ascending:YES
                                   delegate:nil
                                  inContext:context];
    CHECK(controller.fetchedObjects.count == 2);
    controller = [User MR_fetchAllWithDelegate:nil];
    CHECK(controller.fetchedObjects.count == 2);
    controller = [User MR_fetchAllWithDelegate:nil inContext:context];
    CHECK(controller.fetchedObjects.count == 2);
    controller = [User MR_fetchController:[User MR_requestAllSortedBy:@"name" ascending:YES]
                                 delegate:nil
                             useFileCache:NO
                                groupedBy:nil
                                inContext:context];
    CHECK(controller.fetchedObjects == nil);
    CHECK([User MR_performFetch:controller] && controller.fetchedObjects.count == 2);
}
