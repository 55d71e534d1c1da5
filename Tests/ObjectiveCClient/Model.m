#import "Client.h"

@implementation User

@dynamic name, nickname, age, userID, joined, team;

static NSInteger calls = 0;

+ (NSInteger)hookCalls
{
    return calls;
}

+ (void)setHookCalls:(NSInteger)hookCalls
{
    calls = hookCalls;
}

- (BOOL)shouldImport:(id)data
{
    calls += 1;
    return ![data[@"name"] isEqual:@"Nobody"];
}

- (void)willImport:(__unused id)data
{
    calls += 1;
}

- (void)didImport:(__unused id)data
{
    calls += 1;
}

- (BOOL)importNickname:(id)value
{
    calls += 1;
    self.nickname = [value uppercaseString];
    return YES;
}

- (BOOL)shouldImportTeam:(id)data
{
    calls += 1;
    return ![data[@"title"] isEqual:@"Nothing"];
}

@end

@implementation Team

@dynamic title, teamID, members;

@end

@implementation OtherName

@dynamic name;

+ (NSString *)MR_entityName
{
    CHECK([[super MR_entityName] isEqualToString:@"OtherName"]);
    return @"Renamed";
}

@end

@implementation Generated

@dynamic name;

static NSInteger insertions = 0;

+ (NSInteger)insertions
{
    return insertions;
}

+ (void)setInsertions:(NSInteger)count
{
    insertions = count;
}

+ (NSString *)entityName
{
    return @"Machine";
}

+ (instancetype)insertInManagedObjectContext:(NSManagedObjectContext *)context
{
    insertions += 1;
    NSEntityDescription *entity = [NSEntityDescription entityForName:@"Machine" inManagedObjectContext:context];
    return [[self alloc] initWithEntity:entity insertIntoManagedObjectContext:context];
}

@end

@implementation ErrorTarget

- (void)receiveError:(NSError *)error
{
    self.lastError = error;
}

@end

static NSAttributeDescription *attribute(NSString *name, NSAttributeType type)
{
    NSAttributeDescription *attribute = [[NSAttributeDescription alloc] init];
    attribute.name = name;
    attribute.attributeType = type;
    attribute.optional = YES;
    return attribute;
}

static NSEntityDescription *entity(NSString *name, NSString *className, NSArray<NSPropertyDescription *> *properties)
{
    NSEntityDescription *entity = [[NSEntityDescription alloc] init];
    entity.name = name;
    entity.managedObjectClassName = className;
    entity.properties = properties;
    return entity;
}

NSManagedObjectModel *makeModel(void)
{
    NSRelationshipDescription *team = [[NSRelationshipDescription alloc] init];
    NSRelationshipDescription *members = [[NSRelationshipDescription alloc] init];
    NSAttributeDescription *joined = attribute(@"joined", NSDateAttributeType);
    joined.userInfo = @{kMagicalRecordImportCustomDateFormatKey : @"yyyy-MM-dd"};
    NSEntityDescription *user = entity(@"User", @"User", @[
        attribute(@"name", NSStringAttributeType), attribute(@"nickname", NSStringAttributeType),
        attribute(@"age", NSInteger32AttributeType), attribute(@"userID", NSInteger64AttributeType), joined, team
    ]);
    NSEntityDescription *group = entity(@"Team", @"Team", @[
        attribute(@"title", NSStringAttributeType), attribute(@"teamID", NSInteger64AttributeType), members
    ]);
    team.name = @"team";
    team.destinationEntity = group;
    team.inverseRelationship = members;
    team.maxCount = 1;
    team.optional = YES;
    team.deleteRule = NSNullifyDeleteRule;
    members.name = @"members";
    members.destinationEntity = user;
    members.inverseRelationship = team;
    members.maxCount = 0;
    members.optional = YES;
    members.deleteRule = NSNullifyDeleteRule;
    NSManagedObjectModel *model = [[NSManagedObjectModel alloc] init];
    model.entities = @[
        user, group, entity(@"Renamed", @"OtherName", @[ attribute(@"name", NSStringAttributeType) ]),
        entity(@"Machine", @"Generated", @[ attribute(@"name", NSStringAttributeType) ])
    ];
    return model;
}
