// What the Swift side has for this target's implementation only.

#import <MagicalRecord/MagicalRecordObjC.h>

NS_ASSUME_NONNULL_BEGIN

@interface MagicalRecord (Private)
+ (NSUInteger)MR_versionFollowed;
+ (void)MR_logKind:(NSUInteger)kind message:(NSString *)message;
+ (nullable NSDate *)MR_dateFromText:(NSString *)text pattern:(NSString *)pattern;
+ (NSDate *)MR_dateFromSeconds:(NSNumber *)number milliseconds:(BOOL)milliseconds;
+ (NSDate *)MR_dateWithDaylightSaving:(NSDate *)date;
+ (NSNumber *)MR_numberFromText:(NSString *)text;
+ (NSString *)MR_attributeNameFromText:(NSString *)text;
+ (NSString *)MR_primaryKeyNameFromText:(NSString *)text;
+ (nullable id)MR_colorFromText:(NSString *)text;
+ (nullable NSInteger *)MR_colorComponentsFromText:(NSString *)text;
@end

NS_ASSUME_NONNULL_END
