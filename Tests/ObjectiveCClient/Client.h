// What the parts of the client share: the model's classes, and a way to check.

#import <MagicalRecord/MagicalRecord.h>

NS_ASSUME_NONNULL_BEGIN

@class Team;

@interface User : NSManagedObject
@property (nullable, nonatomic, copy) NSString *name;
@property (nullable, nonatomic, copy) NSString *nickname;
@property (nullable, nonatomic, copy) NSNumber *age;
@property (nullable, nonatomic, copy) NSNumber *userID;
@property (nullable, nonatomic, copy) NSDate *joined;
@property (nullable, nonatomic, strong) Team *team;
/// How often the hooks of the import were called.
@property (class, nonatomic) NSInteger hookCalls;
@end

@interface Team : NSManagedObject
@property (nullable, nonatomic, copy) NSString *title;
@property (nullable, nonatomic, copy) NSNumber *teamID;
@property (nullable, nonatomic, strong) NSSet<User *> *members;
@end

/// Says its entity's name, "Renamed", by overriding MR_entityName.
@interface OtherName : NSManagedObject
@property (nullable, nonatomic, copy) NSString *name;
@end

/// As mogenerator writes it: entityName, and a method that inserts.
@interface Generated : NSManagedObject <MagicalRecord_MOGenerator>
@property (nullable, nonatomic, copy) NSString *name;
@property (class, nonatomic) NSInteger insertions;
+ (nullable instancetype)insertInManagedObjectContext:(NSManagedObjectContext *)context;
@end

/// Hears of errors.
@interface ErrorTarget : NSObject
@property (nullable, nonatomic, strong) NSError *lastError;
- (void)receiveError:(NSError *)error;
@end

NSManagedObjectModel *makeModel(void);

/// A default stack in memory with that model, instead of the one there was.
void startInMemory(void);

/// The same with a new file.
void startOnDisk(void);

User *addUser(NSString *name, NSInteger identifier, NSInteger age);

/// Counts a failure and says where it was.
void check(BOOL fulfilled, const char *text, const char *file, int line);
#define CHECK(...) check((__VA_ARGS__) ? YES : NO, #__VA_ARGS__, __FILE__, __LINE__)

/// Lets the main queue work until the block says yes; not longer than ten seconds.
BOOL waitUntil(BOOL (^isDone)(void));

// The parts.
void checkFinding(void);
void checkRequests(void);
void checkFetchedResults(void);
void checkCreating(void);
void checkAggregation(void);
void checkImporting(void);
void checkSaving(void);
void checkContexts(void);
void checkSettingUp(void);
void checkICloud(void);
void checkErrorsAndLogging(void);
void checkValues(void);
void checkDeprecated(void);
void checkShorthand(void);
void checkOldProgram(void);

NS_ASSUME_NONNULL_END
