#import "Client.h"

void checkAggregation(void)
{
    // In a file, since not every kind of store can group.
    startOnDisk();
    NSManagedObjectContext *context = [NSManagedObjectContext MR_defaultContext];
    User *ann = addUser(@"Ann", 1, 30);
    addUser(@"Bob", 2, 20);
    [context MR_saveToPersistentStoreAndWait];
    NSPredicate *young = [NSPredicate predicateWithFormat:@"age < 30"];

    CHECK([User MR_countOfEntities] == 2);
    CHECK([User MR_countOfEntitiesWithContext:context] == 2);
    CHECK([User MR_countOfEntitiesWithPredicate:young] == 1);
    CHECK([User MR_countOfEntitiesWithPredicate:nil inContext:context] == 2);
    CHECK([User MR_numberOfEntities].integerValue == 2);
    CHECK([User MR_numberOfEntitiesWithContext:context].integerValue == 2);
    CHECK([User MR_numberOfEntitiesWithPredicate:young].integerValue == 1);
    CHECK([User MR_numberOfEntitiesWithPredicate:young inContext:context].integerValue == 1);
    CHECK([User MR_hasAtLeastOneEntity]);
    CHECK([Team MR_hasAtLeastOneEntityInContext:context] == NO);
    CHECK([[ann MR_minValueFor:@"age"] isEqual:@20]);
    CHECK([[ann MR_maxValueFor:@"age"] isEqual:@30]);
    CHECK([[ann MR_objectWithMinValueFor:@"age"].name isEqualToString:@"Bob"]);
    CHECK([[ann MR_objectWithMinValueFor:@"age" inContext:context].name isEqualToString:@"Bob"]);
    NSNumber *sum = [User MR_aggregateOperation:@"sum:" onAttribute:@"age" withPredicate:nil];
    CHECK(sum.integerValue == 50);
    sum = [User MR_aggregateOperation:@"max:" onAttribute:@"age" withPredicate:young inContext:context];
    CHECK(sum.integerValue == 20);
    NSArray<NSDictionary *> *groups = [User MR_aggregateOperation:@"count:"
                                                      onAttribute:@"age"
                                                    withPredicate:nil
                                                          groupBy:@"name"];
    CHECK(groups.count == 2);
    groups = [User MR_aggregateOperation:@"sum:" onAttribute:@"age" withPredicate:nil groupBy:@"name" inContext:context];
    CHECK(groups.count == 2);
}
