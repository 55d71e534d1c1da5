#import "Client.h"

void checkImporting(void)
{
    startInMemory();
    NSManagedObjectContext *context = [NSManagedObjectContext MR_defaultContext];
    NSDictionary *record = @{
        @"userID" : @7, @"name" : @"Ann", @"nickname" : @"annie", @"joined" : @"2020-01-02",
        @"team" : @{@"teamID" : @1, @"title" : @"Reds"}
    };
    User.hookCalls = 0;
    User *ann = [User MR_importFromObject:record];
    CHECK([ann.name isEqualToString:@"Ann"] && [ann.nickname isEqualToString:@"ANNIE"]);
    CHECK(User.hookCalls >= 5);
    CHECK([ann.team.title isEqualToString:@"Reds"] && ann.team.members.count == 1);
    CHECK([ann.joined isEqual:MR_dateFromString(@"2020-01-02", @"yyyy-MM-dd")]);
    CHECK([User MR_importFromObject:record inContext:context] == ann);
    CHECK([ann MR_importValuesForKeysWithObject:@{@"name" : @"Anna"}] && [ann.name isEqualToString:@"Anna"]);
    CHECK([ann MR_importValuesForKeysWithObject:@{@"name" : @"Nobody"}] == NO);
    [User MR_importFromObject:@{@"userID" : @8, @"team" : @{@"teamID" : @2, @"title" : @"Nothing"}}];
    CHECK([Team MR_countOfEntities] == 1);
    NSArray<User *> *list = [User MR_importFromArray:@[ @{@"userID" : @9}, @{@"userID" : @10} ]];
    CHECK(list.count == 2 && list[0].userID.integerValue == 9);
    list = [User MR_importFromArray:@[ @{@"userID" : @9, @"name" : @"Nine"} ] inContext:context];
    CHECK(list.count == 1 && [list[0].name isEqualToString:@"Nine"]);
    CHECK([User MR_countOfEntities] == 4);

    // The helpers.
    NSEntityDescription *entity = [User MR_entityDescription];
    NSAttributeDescription *name = [entity MR_attributeDescriptionForName:@"name"];
    NSRelationshipDescription *team = entity.relationshipsByName[@"team"];
    CHECK([name.name isEqualToString:@"name"] && [name MR_primaryKey] == nil);
    CHECK([[entity MR_primaryAttributeToRelateBy].name isEqualToString:@"userID"]);
    CHECK([[entity MR_createInstanceInContext:context] isKindOfClass:[User class]]);
    CHECK([[team MR_primaryKey] isEqualToString:@"teamID"]);
    CHECK([[record MR_lookupKeyForAttribute:name] isEqualToString:@"name"]);
    CHECK([[record MR_valueForAttribute:name] isEqual:@"Ann"]);
    CHECK([[record[@"team"] MR_lookupKeyForRelationship:team] isEqualToString:@"teamID"]);
    CHECK([[record[@"team"] MR_relatedValueForRelationship:team] isEqual:@1]);
    CHECK([@7 MR_lookupKeyForAttribute:name] == nil);
    CHECK([[@7 MR_relatedValueForRelationship:team] isEqual:@7]);
    CHECK([[name MR_valueForKeyPath:@"name" fromObjectData:record] isEqual:@"Ann"]);
    CHECK([[@"text" MR_capitalizedFirstCharacterString] isEqualToString:@"Text"]);
}
