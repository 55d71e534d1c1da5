#import "MagicalRecordExceptions.h"

NSString *const MagicalRecordExceptionNameKey = @"MagicalRecordExceptionName";
NSString *const MagicalRecordExceptionUserInfoKey = @"MagicalRecordExceptionUserInfo";

@implementation MRThrowingCalls

static NSError *errorForException(NSException *exception) {
    NSMutableDictionary *info = [NSMutableDictionary dictionary];
    info[NSLocalizedDescriptionKey] = exception.reason ?: exception.name;
    info[MagicalRecordExceptionNameKey] = exception.name;
    info[MagicalRecordExceptionUserInfoKey] = exception.userInfo;
    return [NSError errorWithDomain:NSCocoaErrorDomain code:NSCoreDataError userInfo:info];
}

/// The value of the block, or nil and the error that its exception stands for.
static id valueOrError(NSError **error, id (^block)(NSError **)) {
    NSError *failure = nil;
    id value = nil;
    @try {
        value = block(&failure);
    } @catch (NSException *exception) {
        failure = errorForException(exception);
        value = nil;
    }
    if (value == nil && error) *error = failure;
    return value;
}

+ (NSPredicate *)predicateWithFormat:(NSString *)format arguments:(va_list)arguments error:(NSError **)error {
    // A block cannot capture a va_list, so this one stands by itself.
    @try {
        return [NSPredicate predicateWithFormat:format arguments:arguments];
    } @catch (NSException *exception) {
        if (error) *error = errorForException(exception);
        return nil;
    }
}

+ (NSArray *)executeFetchRequest:(NSFetchRequest *)request
                       inContext:(NSManagedObjectContext *)context
                           error:(NSError **)error {
    return valueOrError(error, ^(NSError **failure) {
        return [context executeFetchRequest:request error:failure];
    });
}

+ (NSNumber *)countForFetchRequest:(NSFetchRequest *)request
                         inContext:(NSManagedObjectContext *)context
                             error:(NSError **)error {
    return valueOrError(error, ^NSNumber *(NSError **failure) {
        NSUInteger count = [context countForFetchRequest:request error:failure];
        return count == NSNotFound ? nil : @(count);
    });
}

+ (NSPersistentStoreResult *)executeRequest:(NSPersistentStoreRequest *)request
                                  inContext:(NSManagedObjectContext *)context
                                      error:(NSError **)error {
    return valueOrError(error, ^(NSError **failure) {
        return [context executeRequest:request error:failure];
    });
}

+ (BOOL)performFetchOfController:(NSFetchedResultsController *)controller error:(NSError **)error {
    return valueOrError(error, ^NSNumber *(NSError **failure) {
        return [controller performFetch:failure] ? @YES : nil;
    }) != nil;
}

+ (BOOL)saveContext:(NSManagedObjectContext *)context error:(NSError **)error {
    return valueOrError(error, ^NSNumber *(NSError **failure) {
        return [context save:failure] ? @YES : nil;
    }) != nil;
}

@end
