// What Objective-C programs use of Foundation and Swift code does not: literals, loops, lists of arguments.
#pragma once
#include <stdarg.h>
#define __unused __attribute__((unused))
#pragma clang assume_nonnull begin
@interface NSString (ObjectiveCOnly)
- (instancetype)initWithFormat:(NSString *)format arguments:(va_list)arguments __attribute__((format(__NSString__, 1, 0)));
+ (instancetype)stringWithFormat:(NSString *)format, ... __attribute__((format(__NSString__, 1, 2)));
+ (nullable instancetype)stringWithUTF8String:(const char *)bytes;
- (BOOL)isEqualToString:(NSString *)other; - (BOOL)hasPrefix:(NSString *)prefix; - (BOOL)hasSuffix:(NSString *)suffix; - (NSString *)uppercaseString;
- (NSString *)stringByAppendingPathComponent:(NSString *)name; - (NSString *)stringByAppendingString:(NSString *)text;
- (BOOL)containsString:(NSString *)text; - (NSString *)substringFromIndex:(NSUInteger)index;
@property (readonly, nullable) const char *UTF8String;
@end
@interface NSArray<ObjectType> (ObjectiveCOnly)
+ (instancetype)array; + (instancetype)arrayWithObjects:(const ObjectType _Nonnull [_Nullable])objects count:(NSUInteger)count;
- (ObjectType)objectAtIndexedSubscript:(NSUInteger)index; - (BOOL)containsObject:(ObjectType)object; - (BOOL)isEqualToArray:(NSArray<ObjectType> *)other;
@property (nullable, nonatomic, readonly) ObjectType firstObject; @property (nullable, nonatomic, readonly) ObjectType lastObject;
@end
@interface NSMutableArray<ObjectType> (ObjectiveCOnly) + (instancetype)array; @end
@interface NSDictionary<KeyType, ObjectType> (ObjectiveCOnly)
+ (instancetype)dictionary; + (instancetype)dictionaryWithObjects:(const ObjectType _Nonnull [_Nullable])objects forKeys:(const KeyType <NSCopying> _Nonnull [_Nullable])keys count:(NSUInteger)count;
- (nullable ObjectType)objectForKeyedSubscript:(KeyType)key;
@end
@interface NSMutableDictionary<KeyType, ObjectType> (ObjectiveCOnly) - (void)setObject:(nullable ObjectType)object forKeyedSubscript:(KeyType <NSCopying>)key; @end
@interface NSException : NSObject @property (readonly, copy) NSExceptionName name; @property (nullable, readonly, copy) NSString *reason; @property (nullable, readonly, copy) NSDictionary *userInfo; @end
@interface NSSet<ObjectType> (ObjectiveCOnly) + (instancetype)setWithArray:(NSArray<ObjectType> *)array; - (nullable ObjectType)anyObject; @end
@interface NSOrderedSet<ObjectType> (ObjectiveCOnly) + (instancetype)orderedSetWithArray:(NSArray<ObjectType> *)array; @end
@interface NSNumber (ObjectiveCOnly)
+ (NSNumber *)numberWithBool:(BOOL)v; + (NSNumber *)numberWithInteger:(NSInteger)v; + (NSNumber *)numberWithUnsignedInteger:(NSUInteger)v; + (NSNumber *)numberWithInt:(int)v; + (NSNumber *)numberWithUnsignedInt:(unsigned int)v; + (NSNumber *)numberWithLong:(long)v; + (NSNumber *)numberWithUnsignedLong:(unsigned long)v; + (NSNumber *)numberWithLongLong:(long long)v; + (NSNumber *)numberWithDouble:(double)v; + (NSNumber *)numberWithChar:(char)v;
@property (readonly) unsigned long unsignedLongValue;
@end
@interface NSDate (ObjectiveCOnly) + (instancetype)date; + (instancetype)dateWithTimeIntervalSince1970:(NSTimeInterval)s; + (instancetype)dateWithTimeIntervalSinceNow:(NSTimeInterval)s; @property (readonly) NSTimeInterval timeIntervalSinceNow; @end
@interface NSURL (ObjectiveCOnly) + (NSURL *)fileURLWithPath:(NSString *)path; @property (nullable, readonly, copy) NSString *path; @property (nullable, readonly, copy) NSString *lastPathComponent; - (nullable NSURL *)URLByAppendingPathComponent:(NSString *)name; @end
@interface NSUUID (ObjectiveCOnly) + (instancetype)UUID; @property (readonly, copy) NSString *UUIDString; @end
@interface NSError (ObjectiveCOnly) + (instancetype)errorWithDomain:(NSString *)domain code:(NSInteger)code userInfo:(nullable NSDictionary<NSString *, id> *)info; @end
@interface NSPredicate (ObjectiveCOnly) + (NSPredicate *)predicateWithFormat:(NSString *)format, ...; @end
@interface NSNotificationCenter (ObjectiveCOnly) - (void)addObserver:(id)observer selector:(SEL)selector name:(nullable NSNotificationName)name object:(nullable id)object; @end
typedef NSString *NSRunLoopMode; extern NSRunLoopMode const NSDefaultRunLoopMode;
@interface NSRunLoop : NSObject @property (class, readonly, strong) NSRunLoop *mainRunLoop; - (BOOL)runMode:(NSRunLoopMode)mode beforeDate:(NSDate *)date; @end
@interface NSObject (ObjectiveCOnly) + (BOOL)instancesRespondToSelector:(SEL)selector; + (BOOL)conformsToProtocol:(Protocol *)protocol; + (Class)class; - (Class)class; @end
@protocol NSObject_ObjectiveCOnly - (Class)class; @end
extern void NSLog(NSString *format, ...) __attribute__((format(__NSString__, 1, 2)));
#pragma clang assume_nonnull end
