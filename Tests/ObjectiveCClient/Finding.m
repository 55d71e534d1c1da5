#import "Client.h"

void checkFinding(void)
{
    startInMemory();
    NSManagedObjectContext *context = [NSManagedObjectContext MR_defaultContext];
    addUser(@"Ann", 1, 30);
    addUser(@"Bob", 2, 20);
    addUser(@"Cid", 3, 40);
    NSPredicate *adult = [NSPredicate predicateWithFormat:@"age >= %@", @30];

    // Many.
    NSArray<User *> *all = [User MR_findAll];
    CHECK(all.count == 3);
    NSArray *plain = [User MR_findAllInContext:context];
    CHECK(plain.count == 3);
    all = [User MR_findAllSortedBy:@"age" ascending:YES];
    CHECK([all.firstObject.name isEqualToString:@"Bob"]);
    all = [User MR_findAllSortedBy:@"age:NO,name" ascending:YES inContext:context];
    CHECK([all.firstObject.name isEqualToString:@"Cid"]);
    all = [User MR_findAllSortedBy:@"name" ascending:NO withPredicate:adult];
    CHECK(all.count == 2 && [all[0].name isEqualToString:@"Cid"]);
    all = [User MR_findAllSortedBy:@"name" ascending:NO withPredicate:nil inContext:context];
    CHECK(all.count == 3);
    all = [User MR_findAllWithPredicate:adult];
    CHECK(all.count == 2);
    all = [User MR_findAllWithPredicate:adult inContext:context];
    CHECK(all.count == 2);
    all = [User MR_findByAttribute:@"name" withValue:@"Ann"];
    CHECK(all.count == 1);
    all = [User MR_findByAttribute:@"name" withValue:@"Ann" inContext:context];
    CHECK(all.count == 1);
    all = [User MR_findByAttribute:@"age" withValue:@20 andOrderBy:@"name" ascending:YES];
    CHECK(all.count == 1);
    all = [User MR_findByAttribute:@"age" withValue:@20 andOrderBy:@"name" ascending:YES inContext:context];
    CHECK(all.count == 1);

    // One.
    CHECK([User MR_findFirst] != nil);
    CHECK([User MR_findFirstInContext:context] != nil);
    CHECK([User MR_findFirstWithPredicate:adult].age.integerValue >= 30);
    CHECK([User MR_findFirstWithPredicate:adult inContext:context] != nil);
    CHECK([[User MR_findFirstWithPredicate:adult sortedBy:@"age" ascending:NO].name isEqualToString:@"Cid"]);
    User *first = [User MR_findFirstWithPredicate:nil sortedBy:@"age" ascending:YES inContext:context];
    CHECK([first.name isEqualToString:@"Bob"]);
    CHECK([User MR_findFirstWithPredicate:adult andRetrieveAttributes:@[ @"name" ]] != nil);
    CHECK([User MR_findFirstWithPredicate:adult andRetrieveAttributes:@[ @"name" ] inContext:context] != nil);
    first = [User MR_findFirstWithPredicate:adult sortedBy:@"age" ascending:NO andRetrieveAttributes:@[ @"name" ], nil];
    CHECK([first.name isEqualToString:@"Cid"]);
    first = [User MR_findFirstWithPredicate:nil
                                   sortedBy:@"age"
                                  ascending:YES
                                  inContext:context
                      andRetrieveAttributes:@[ @"name", @"age" ], nil];
    CHECK([first.name isEqualToString:@"Bob"]);
    CHECK([User MR_findFirstByAttribute:@"name" withValue:@"Ann"].userID.integerValue == 1);
    CHECK([User MR_findFirstByAttribute:@"name" withValue:@"Dan" inContext:context] == nil);
    CHECK([[User MR_findFirstOrderedByAttribute:@"age" ascending:YES].name isEqualToString:@"Bob"]);
    CHECK([[User MR_findFirstOrderedByAttribute:@"age" ascending:NO inContext:context].name isEqualToString:@"Cid"]);
    User *dan = [User MR_findFirstOrCreateByAttribute:@"name" withValue:@"Dan"];
    CHECK(dan == [User MR_findFirstOrCreateByAttribute:@"name" withValue:@"Dan" inContext:context]);
    CHECK([User MR_countOfEntities] == 4);
}
