// The selectors whose types Swift cannot export: requests and controllers of no particular class, lists of arguments,
// the options of a save.

#pragma once

#import <MagicalRecord/MagicalRecordTypes.h>
#if __has_feature(modules)
@import MagicalRecord;
#endif

NS_ASSUME_NONNULL_BEGIN

@interface MagicalRecord (MagicalRecordVersion)
/// The version of the original that is followed.
+ (MagicalRecordVersionTag)version MR_SWIFT_HAS_IT;
@end

/// Whether the log's level includes messages of this kind. For the MRLog macros.
FOUNDATION_EXPORT BOOL MR_isLogged(MagicalRecordLoggingMask kind) MR_SWIFT_HAS_IT;

/// Writes a message to the log, whatever the level. For the MRLog macros.
FOUNDATION_EXPORT void MR_logMessage(MagicalRecordLoggingMask kind, NSString *format, ...) NS_FORMAT_FUNCTION(2, 3)
    MR_SWIFT_HAS_IT;

@interface NSManagedObjectContext (MagicalSaves)
/// Saves as the options say. The completion is called once, on the main queue.
- (void)MR_saveWithOptions:(MRSaveOptions)saveOptions
                completion:(nullable MRSaveCompletionHandler)completion MR_SWIFT_HAS_IT;
@end

// MARK: Requests. They are built, not executed.

@interface NSManagedObject (MagicalRequests)
+ (NSFetchRequest *)MR_createFetchRequest MR_SWIFT_HAS_IT;
+ (NSFetchRequest *)MR_createFetchRequestInContext:(NSManagedObjectContext *)context MR_SWIFT_HAS_IT;
+ (NSFetchRequest *)MR_requestAll MR_SWIFT_HAS_IT;
+ (NSFetchRequest *)MR_requestAllInContext:(NSManagedObjectContext *)context MR_SWIFT_HAS_IT;
+ (NSFetchRequest *)MR_requestAllWithPredicate:(nullable NSPredicate *)searchTerm MR_SWIFT_HAS_IT;
+ (NSFetchRequest *)MR_requestAllWithPredicate:(nullable NSPredicate *)searchTerm
    inContext:(NSManagedObjectContext *)context MR_SWIFT_HAS_IT;
+ (NSFetchRequest *)MR_requestAllWhere:(NSString *)property isEqualTo:(nullable id)value MR_SWIFT_HAS_IT;
+ (NSFetchRequest *)MR_requestAllWhere:(NSString *)property isEqualTo:(nullable id)value
    inContext:(NSManagedObjectContext *)context MR_SWIFT_HAS_IT;
+ (NSFetchRequest *)MR_requestFirstWithPredicate:(nullable NSPredicate *)searchTerm MR_SWIFT_HAS_IT;
+ (NSFetchRequest *)MR_requestFirstWithPredicate:(nullable NSPredicate *)searchTerm
    inContext:(NSManagedObjectContext *)context MR_SWIFT_HAS_IT;
+ (NSFetchRequest *)MR_requestFirstByAttribute:(NSString *)attribute
    withValue:(nullable id)searchValue MR_SWIFT_HAS_IT;
+ (NSFetchRequest *)MR_requestFirstByAttribute:(NSString *)attribute withValue:(nullable id)searchValue
    inContext:(NSManagedObjectContext *)context MR_SWIFT_HAS_IT;
+ (NSFetchRequest *)MR_requestAllSortedBy:(nullable NSString *)sortTerm ascending:(BOOL)ascending MR_SWIFT_HAS_IT;
+ (NSFetchRequest *)MR_requestAllSortedBy:(nullable NSString *)sortTerm ascending:(BOOL)ascending
    inContext:(NSManagedObjectContext *)context MR_SWIFT_HAS_IT;
+ (NSFetchRequest *)MR_requestAllSortedBy:(nullable NSString *)sortTerm ascending:(BOOL)ascending
    withPredicate:(nullable NSPredicate *)searchTerm MR_SWIFT_HAS_IT;
+ (NSFetchRequest *)MR_requestAllSortedBy:(nullable NSString *)sortTerm ascending:(BOOL)ascending
    withPredicate:(nullable NSPredicate *)searchTerm
    inContext:(NSManagedObjectContext *)context MR_SWIFT_HAS_IT;
@end

// MARK: Execution

@interface NSManagedObject (MagicalRecordExecution)
/// The first result: an object of this class, or what else the request asks for. The request is left as it is.
+ (nullable instancetype)MR_executeFetchRequestAndReturnFirstObject:(NSFetchRequest *)request MR_SWIFT_HAS_IT;
+ (nullable instancetype)MR_executeFetchRequestAndReturnFirstObject:(NSFetchRequest *)request
    inContext:(NSManagedObjectContext *)context MR_SWIFT_HAS_IT;
/// An object with only some attributes read at once: an array of their names. As ever, what follows it is ignored.
+ (nullable instancetype)MR_findFirstWithPredicate:(nullable NSPredicate *)searchTerm
    sortedBy:(nullable NSString *)sortBy ascending:(BOOL)ascending
    andRetrieveAttributes:(nullable id)attributes, ... MR_SWIFT_HAS_IT;
+ (nullable instancetype)MR_findFirstWithPredicate:(nullable NSPredicate *)searchTerm
    sortedBy:(nullable NSString *)sortBy ascending:(BOOL)ascending inContext:(NSManagedObjectContext *)context
    andRetrieveAttributes:(nullable id)attributes, ... MR_SWIFT_HAS_IT;
@end

// MARK: Controllers. All but the first have fetched when they are returned.

@interface NSManagedObject (MagicalFetchedResults)
+ (BOOL)MR_performFetch:(NSFetchedResultsController *)controller MR_SWIFT_HAS_IT;
+ (NSFetchedResultsController *)MR_fetchController:(NSFetchRequest *)request
    delegate:(nullable id<NSFetchedResultsControllerDelegate>)delegate useFileCache:(BOOL)useFileCache
    groupedBy:(nullable NSString *)groupKeyPath inContext:(NSManagedObjectContext *)context MR_SWIFT_HAS_IT;
+ (NSFetchedResultsController *)MR_fetchAllWithDelegate:(nullable id<NSFetchedResultsControllerDelegate>)delegate MR_SWIFT_HAS_IT;
+ (NSFetchedResultsController *)MR_fetchAllWithDelegate:(nullable id<NSFetchedResultsControllerDelegate>)delegate
    inContext:(NSManagedObjectContext *)context MR_SWIFT_HAS_IT;
+ (NSFetchedResultsController *)MR_fetchAllSortedBy:(nullable NSString *)sortTerm ascending:(BOOL)ascending
    withPredicate:(nullable NSPredicate *)searchTerm groupBy:(nullable NSString *)groupingKeyPath
    delegate:(nullable id<NSFetchedResultsControllerDelegate>)delegate MR_SWIFT_HAS_IT;
+ (NSFetchedResultsController *)MR_fetchAllSortedBy:(nullable NSString *)sortTerm ascending:(BOOL)ascending
    withPredicate:(nullable NSPredicate *)searchTerm groupBy:(nullable NSString *)groupingKeyPath
    delegate:(nullable id<NSFetchedResultsControllerDelegate>)delegate
    inContext:(NSManagedObjectContext *)context MR_SWIFT_HAS_IT;
+ (NSFetchedResultsController *)MR_fetchAllGroupedBy:(nullable NSString *)group
    withPredicate:(nullable NSPredicate *)searchTerm sortedBy:(nullable NSString *)sortTerm
    ascending:(BOOL)ascending MR_SWIFT_HAS_IT;
+ (NSFetchedResultsController *)MR_fetchAllGroupedBy:(nullable NSString *)group
    withPredicate:(nullable NSPredicate *)searchTerm sortedBy:(nullable NSString *)sortTerm
    ascending:(BOOL)ascending inContext:(NSManagedObjectContext *)context MR_SWIFT_HAS_IT;
+ (NSFetchedResultsController *)MR_fetchAllGroupedBy:(nullable NSString *)group
    withPredicate:(nullable NSPredicate *)searchTerm sortedBy:(nullable NSString *)sortTerm
    ascending:(BOOL)ascending
    delegate:(nullable id<NSFetchedResultsControllerDelegate>)delegate MR_SWIFT_HAS_IT;
+ (NSFetchedResultsController *)MR_fetchAllGroupedBy:(nullable NSString *)group
    withPredicate:(nullable NSPredicate *)searchTerm sortedBy:(nullable NSString *)sortTerm
    ascending:(BOOL)ascending delegate:(nullable id<NSFetchedResultsControllerDelegate>)delegate
    inContext:(NSManagedObjectContext *)context MR_SWIFT_HAS_IT;
@end

NS_ASSUME_NONNULL_END
