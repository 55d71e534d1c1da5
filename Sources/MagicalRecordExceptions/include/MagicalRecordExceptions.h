// Functions of Foundation and Core Data that raise Objective-C exceptions, which Swift cannot catch, with an error instead.
//
// An exception becomes an error of NSCocoaErrorDomain with the code NSCoreDataError, the exception's reason as its
// description, and the exception's name and user info under MagicalRecordExceptionNameKey and
// MagicalRecordExceptionUserInfoKey. Call each on the queue on which Core Data's own is called.

#import <CoreData/CoreData.h>
#import <stdarg.h>

NS_ASSUME_NONNULL_BEGIN

/// The name of the exception that became an error, a string.
FOUNDATION_EXPORT NSString *const MagicalRecordExceptionNameKey;
/// What the exception said besides, a dictionary.
FOUNDATION_EXPORT NSString *const MagicalRecordExceptionUserInfoKey;

/// Functions of Foundation and Core Data that return an error where those raise an exception.
@interface MRThrowingCalls : NSObject

/// A predicate, or an error when the format does not parse or does not fit the arguments.
+ (nullable NSPredicate *)predicateWithFormat:(NSString *)format
                                    arguments:(va_list)arguments
                                        error:(NSError **)error NS_SWIFT_NAME(predicate(format:arguments:));

/// What the request finds, or an error also for a key path that the entity does not have.
+ (nullable NSArray *)executeFetchRequest:(NSFetchRequest *)request
                                inContext:(NSManagedObjectContext *)context
                                    error:(NSError **)error NS_SWIFT_NAME(fetch(_:in:));

/// How many objects the request finds, or an error also for a key path that the entity does not have.
+ (nullable NSNumber *)countForFetchRequest:(NSFetchRequest *)request
                                  inContext:(NSManagedObjectContext *)context
                                      error:(NSError **)error NS_SWIFT_NAME(count(for:in:));

/// The outcome of a batch request, or an error also for a property that the entity does not have.
+ (nullable NSPersistentStoreResult *)executeRequest:(NSPersistentStoreRequest *)request
                                           inContext:(NSManagedObjectContext *)context
                                               error:(NSError **)error NS_SWIFT_NAME(execute(_:in:));

/// Has a controller fetch; returns an error also for a key path that the entity does not have.
+ (BOOL)performFetchOfController:(NSFetchedResultsController *)controller
                          error:(NSError **)error NS_SWIFT_NAME(performFetch(of:));

/// Saves the context; returns an error also where Core Data raises, as for a coordinator without stores.
+ (BOOL)saveContext:(NSManagedObjectContext *)context error:(NSError **)error NS_SWIFT_NAME(save(_:));

@end

NS_ASSUME_NONNULL_END
