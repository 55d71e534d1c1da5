// The names without their prefix, for programs that call [MagicalRecord enableShorthandMethods]: [User findAll] for
// [User MR_findAll]. Define MR_SHORTHAND before importing MagicalRecord.h, or import this header.
//
// Left out are entityName, which is the program's to define, and description, which every object has.

#pragma once

#import <MagicalRecord/MagicalRecordObjC.h>

// Swift has these names, or better ones, from the module MagicalRecord.
#define MR_SHORT NS_SWIFT_UNAVAILABLE("Use the module MagicalRecord")

NS_ASSUME_NONNULL_BEGIN

@interface NSManagedObject (MagicalRecordShorthand)
+ (NSUInteger)defaultBatchSize MR_SHORT;
+ (void)setDefaultBatchSize:(NSUInteger)size MR_SHORT;
+ (NSArray * _Nullable)executeFetchRequest:(NSFetchRequest *)request inContext:(NSManagedObjectContext *)context
    MR_SHORT;
+ (NSArray * _Nullable)executeFetchRequest:(NSFetchRequest *)request MR_SHORT;
+ (nullable instancetype)executeFetchRequestAndReturnFirstObject:(NSFetchRequest *)request
    inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (nullable instancetype)executeFetchRequestAndReturnFirstObject:(NSFetchRequest *)request MR_SHORT;
+ (BOOL)performFetch:(NSFetchedResultsController *)controller MR_SHORT;
+ (NSEntityDescription * _Nullable)entityDescriptionInContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSEntityDescription * _Nullable)entityDescription MR_SHORT;
+ (NSArray * _Nullable)propertiesNamed:(NSArray<NSString *> *)names inContext:(NSManagedObjectContext *)context
    MR_SHORT;
+ (NSArray * _Nullable)propertiesNamed:(NSArray<NSString *> *)names MR_SHORT;
+ (nullable instancetype)createEntityInContext:(NSManagedObjectContext * _Nullable)context MR_SHORT;
+ (nullable instancetype)createEntity MR_SHORT;
- (BOOL)deleteEntityInContext:(NSManagedObjectContext *)context MR_SHORT;
- (BOOL)deleteEntity MR_SHORT;
+ (BOOL)deleteAllMatchingPredicate:(NSPredicate * _Nullable)predicate inContext:(NSManagedObjectContext *)context
    MR_SHORT;
+ (BOOL)deleteAllMatchingPredicate:(NSPredicate * _Nullable)predicate MR_SHORT;
+ (BOOL)truncateAllInContext:(NSManagedObjectContext *)context MR_SHORT;
+ (BOOL)truncateAll MR_SHORT;
+ (NSArray<NSSortDescriptor *> *)ascendingSortDescriptors:(NSArray<NSString *> *)names MR_SHORT;
+ (NSArray<NSSortDescriptor *> *)descendingSortDescriptors:(NSArray<NSString *> *)names MR_SHORT;
- (nullable instancetype)inContext:(NSManagedObjectContext *)context MR_SHORT;
- (nullable instancetype)inThreadContext __attribute__((deprecated("Use inContext: and say which context"))) MR_SHORT;
+ (nullable instancetype)createInContext:(NSManagedObjectContext *)context
    __attribute__((deprecated("Use createEntityInContext:"))) MR_SHORT;
- (BOOL)deleteInContext:(NSManagedObjectContext *)context __attribute__((deprecated("Use deleteEntityInContext:")))
    MR_SHORT;
+ (NSFetchRequest *)createFetchRequest MR_SHORT;
+ (NSFetchRequest *)createFetchRequestInContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSFetchRequest *)requestAll MR_SHORT;
+ (NSFetchRequest *)requestAllInContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSFetchRequest *)requestAllWithPredicate:(nullable NSPredicate *)searchTerm MR_SHORT;
+ (NSFetchRequest *)requestAllWithPredicate:(nullable NSPredicate *)searchTerm
    inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSFetchRequest *)requestAllWhere:(NSString *)property isEqualTo:(nullable id)value MR_SHORT;
+ (NSFetchRequest *)requestAllWhere:(NSString *)property isEqualTo:(nullable id)value
    inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSFetchRequest *)requestFirstWithPredicate:(nullable NSPredicate *)searchTerm MR_SHORT;
+ (NSFetchRequest *)requestFirstWithPredicate:(nullable NSPredicate *)searchTerm
    inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSFetchRequest *)requestFirstByAttribute:(NSString *)attribute withValue:(nullable id)searchValue MR_SHORT;
+ (NSFetchRequest *)requestFirstByAttribute:(NSString *)attribute withValue:(nullable id)searchValue
    inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSFetchRequest *)requestAllSortedBy:(nullable NSString *)sortTerm ascending:(BOOL)ascending MR_SHORT;
+ (NSFetchRequest *)requestAllSortedBy:(nullable NSString *)sortTerm ascending:(BOOL)ascending
    inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSFetchRequest *)requestAllSortedBy:(nullable NSString *)sortTerm ascending:(BOOL)ascending
    withPredicate:(nullable NSPredicate *)searchTerm MR_SHORT;
+ (NSFetchRequest *)requestAllSortedBy:(nullable NSString *)sortTerm ascending:(BOOL)ascending
    withPredicate:(nullable NSPredicate *)searchTerm inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSArray * _Nullable)findAll MR_SHORT;
+ (NSArray * _Nullable)findAllInContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSArray * _Nullable)findAllSortedBy:(NSString * _Nullable)term ascending:(BOOL)ascending MR_SHORT;
+ (NSArray * _Nullable)findAllSortedBy:(NSString * _Nullable)term ascending:(BOOL)ascending
    inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSArray * _Nullable)findAllSortedBy:(NSString * _Nullable)term ascending:(BOOL)ascending
    withPredicate:(NSPredicate * _Nullable)predicate MR_SHORT;
+ (NSArray * _Nullable)findAllSortedBy:(NSString * _Nullable)term ascending:(BOOL)ascending
    withPredicate:(NSPredicate * _Nullable)predicate inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSArray * _Nullable)findAllWithPredicate:(NSPredicate * _Nullable)predicate MR_SHORT;
+ (NSArray * _Nullable)findAllWithPredicate:(NSPredicate * _Nullable)predicate
    inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (nullable instancetype)findFirst MR_SHORT;
+ (nullable instancetype)findFirstInContext:(NSManagedObjectContext *)context MR_SHORT;
+ (nullable instancetype)findFirstWithPredicate:(NSPredicate * _Nullable)predicate MR_SHORT;
+ (nullable instancetype)findFirstWithPredicate:(NSPredicate * _Nullable)predicate
    inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (nullable instancetype)findFirstWithPredicate:(NSPredicate * _Nullable)predicate sortedBy:(NSString * _Nullable)term
    ascending:(BOOL)ascending MR_SHORT;
+ (nullable instancetype)findFirstWithPredicate:(NSPredicate * _Nullable)predicate sortedBy:(NSString * _Nullable)term
    ascending:(BOOL)ascending inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (nullable instancetype)findFirstWithPredicate:(NSPredicate * _Nullable)predicate
    andRetrieveAttributes:(NSArray * _Nullable)names MR_SHORT;
+ (nullable instancetype)findFirstWithPredicate:(NSPredicate * _Nullable)predicate
    andRetrieveAttributes:(NSArray * _Nullable)names inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (nullable instancetype)findFirstWithPredicate:(nullable NSPredicate *)searchTerm
    sortedBy:(nullable NSString *)sortBy ascending:(BOOL)ascending andRetrieveAttributes:(nullable id)attributes, ...
    MR_SHORT;
+ (nullable instancetype)findFirstWithPredicate:(nullable NSPredicate *)searchTerm
    sortedBy:(nullable NSString *)sortBy ascending:(BOOL)ascending inContext:(NSManagedObjectContext *)context
    andRetrieveAttributes:(nullable id)attributes, ... MR_SHORT;
+ (nullable instancetype)findFirstByAttribute:(NSString *)attribute withValue:(id _Nullable)value MR_SHORT;
+ (nullable instancetype)findFirstByAttribute:(NSString *)attribute withValue:(id _Nullable)value
    inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (nullable instancetype)findFirstOrderedByAttribute:(NSString *)attribute ascending:(BOOL)ascending MR_SHORT;
+ (nullable instancetype)findFirstOrderedByAttribute:(NSString *)attribute ascending:(BOOL)ascending
    inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (nonnull instancetype)findFirstOrCreateByAttribute:(NSString *)attribute withValue:(id _Nullable)value MR_SHORT;
+ (nonnull instancetype)findFirstOrCreateByAttribute:(NSString *)attribute withValue:(id _Nullable)value
    inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSArray * _Nullable)findByAttribute:(NSString *)attribute withValue:(id _Nullable)value MR_SHORT;
+ (NSArray * _Nullable)findByAttribute:(NSString *)attribute withValue:(id _Nullable)value
    inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSArray * _Nullable)findByAttribute:(NSString *)attribute withValue:(id _Nullable)value
    andOrderBy:(NSString * _Nullable)term ascending:(BOOL)ascending MR_SHORT;
+ (NSArray * _Nullable)findByAttribute:(NSString *)attribute withValue:(id _Nullable)value
    andOrderBy:(NSString * _Nullable)term ascending:(BOOL)ascending inContext:(NSManagedObjectContext *)context
    MR_SHORT;
+ (NSFetchedResultsController *)fetchController:(NSFetchRequest *)request
    delegate:(nullable id<NSFetchedResultsControllerDelegate>)delegate useFileCache:(BOOL)useFileCache
    groupedBy:(nullable NSString *)groupKeyPath inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSFetchedResultsController *)fetchAllWithDelegate:(nullable id<NSFetchedResultsControllerDelegate>)delegate
    MR_SHORT;
+ (NSFetchedResultsController *)fetchAllWithDelegate:(nullable id<NSFetchedResultsControllerDelegate>)delegate
    inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSFetchedResultsController *)fetchAllSortedBy:(nullable NSString *)sortTerm ascending:(BOOL)ascending
    withPredicate:(nullable NSPredicate *)searchTerm groupBy:(nullable NSString *)groupingKeyPath
    delegate:(nullable id<NSFetchedResultsControllerDelegate>)delegate MR_SHORT;
+ (NSFetchedResultsController *)fetchAllSortedBy:(nullable NSString *)sortTerm ascending:(BOOL)ascending
    withPredicate:(nullable NSPredicate *)searchTerm groupBy:(nullable NSString *)groupingKeyPath
    delegate:(nullable id<NSFetchedResultsControllerDelegate>)delegate inContext:(NSManagedObjectContext *)context
    MR_SHORT;
+ (NSFetchedResultsController *)fetchAllGroupedBy:(nullable NSString *)group
    withPredicate:(nullable NSPredicate *)searchTerm sortedBy:(nullable NSString *)sortTerm ascending:(BOOL)ascending
    MR_SHORT;
+ (NSFetchedResultsController *)fetchAllGroupedBy:(nullable NSString *)group
    withPredicate:(nullable NSPredicate *)searchTerm sortedBy:(nullable NSString *)sortTerm ascending:(BOOL)ascending
    inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSFetchedResultsController *)fetchAllGroupedBy:(nullable NSString *)group
    withPredicate:(nullable NSPredicate *)searchTerm sortedBy:(nullable NSString *)sortTerm ascending:(BOOL)ascending
    delegate:(nullable id<NSFetchedResultsControllerDelegate>)delegate MR_SHORT;
+ (NSFetchedResultsController *)fetchAllGroupedBy:(nullable NSString *)group
    withPredicate:(nullable NSPredicate *)searchTerm sortedBy:(nullable NSString *)sortTerm ascending:(BOOL)ascending
    delegate:(nullable id<NSFetchedResultsControllerDelegate>)delegate inContext:(NSManagedObjectContext *)context
    MR_SHORT;
+ (NSUInteger)countOfEntitiesWithPredicate:(NSPredicate * _Nullable)predicate
    inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSUInteger)countOfEntitiesWithPredicate:(NSPredicate * _Nullable)predicate MR_SHORT;
+ (NSUInteger)countOfEntitiesWithContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSUInteger)countOfEntities MR_SHORT;
+ (NSNumber *)numberOfEntitiesWithPredicate:(NSPredicate * _Nullable)predicate
    inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSNumber *)numberOfEntitiesWithPredicate:(NSPredicate * _Nullable)predicate MR_SHORT;
+ (NSNumber *)numberOfEntitiesWithContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSNumber *)numberOfEntities MR_SHORT;
+ (BOOL)hasAtLeastOneEntityInContext:(NSManagedObjectContext *)context MR_SHORT;
+ (BOOL)hasAtLeastOneEntity MR_SHORT;
- (id _Nullable)minValueFor:(NSString *)key MR_SHORT;
- (id _Nullable)maxValueFor:(NSString *)key MR_SHORT;
- (nullable instancetype)objectWithMinValueFor:(NSString *)key MR_SHORT;
- (nullable instancetype)objectWithMinValueFor:(NSString *)key inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (id _Nullable)aggregateOperation:(NSString *)function onAttribute:(NSString *)name
    withPredicate:(NSPredicate * _Nullable)predicate inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (id _Nullable)aggregateOperation:(NSString *)function onAttribute:(NSString *)name
    withPredicate:(NSPredicate * _Nullable)predicate MR_SHORT;
+ (NSArray * _Nullable)aggregateOperation:(NSString *)function onAttribute:(NSString *)name
    withPredicate:(NSPredicate * _Nullable)predicate groupBy:(NSString * _Nullable)keyPath
    inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSArray * _Nullable)aggregateOperation:(NSString *)function onAttribute:(NSString *)name
    withPredicate:(NSPredicate * _Nullable)predicate groupBy:(NSString * _Nullable)keyPath MR_SHORT;
+ (nonnull instancetype)importFromObject:(id)data inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (nonnull instancetype)importFromObject:(id)data MR_SHORT;
+ (NSArray *)importFromArray:(NSArray *)list inContext:(NSManagedObjectContext *)context MR_SHORT;
+ (NSArray *)importFromArray:(NSArray *)list MR_SHORT;
- (BOOL)importValuesForKeysWithObject:(id)data MR_SHORT;
@end

@interface NSManagedObjectContext (MagicalRecordShorthand)
+ (void)initializeDefaultContextWithCoordinator:(NSPersistentStoreCoordinator *)coordinator MR_SHORT;
+ (NSManagedObjectContext *)rootSavingContext MR_SHORT;
+ (NSManagedObjectContext *)defaultContext MR_SHORT;
+ (NSManagedObjectContext *)context MR_SHORT;
+ (NSManagedObjectContext *)contextWithParent:(NSManagedObjectContext *)parent MR_SHORT;
+ (NSManagedObjectContext *)contextWithStoreCoordinator:(NSPersistentStoreCoordinator *)coordinator MR_SHORT;
+ (NSManagedObjectContext *)newMainQueueContext NS_RETURNS_NOT_RETAINED MR_SHORT;
+ (NSManagedObjectContext *)newPrivateQueueContext NS_RETURNS_NOT_RETAINED MR_SHORT;
- (void)setWorkingName:(NSString *)name MR_SHORT;
- (NSString *)workingName MR_SHORT;
- (NSString *)parentChain MR_SHORT;
+ (void)resetDefaultContext MR_SHORT;
- (void)deleteObjects:(id <NSFastEnumeration>)objects MR_SHORT;
+ (NSManagedObjectContext *)contextWithoutParent __attribute__((deprecated("Use newPrivateQueueContext"))) MR_SHORT;
+ (NSManagedObjectContext *)newContext __attribute__((deprecated("Use context"))) NS_RETURNS_NOT_RETAINED MR_SHORT;
+ (NSManagedObjectContext *)newContextWithParent:(NSManagedObjectContext *)parent
    __attribute__((deprecated("Use contextWithParent:"))) NS_RETURNS_NOT_RETAINED MR_SHORT;
+ (NSManagedObjectContext *)newContextWithStoreCoordinator:(NSPersistentStoreCoordinator *)coordinator
    __attribute__((deprecated("Use contextWithStoreCoordinator:"))) NS_RETURNS_NOT_RETAINED MR_SHORT;
- (void)saveOnlySelfWithCompletion:(void (^ _Nullable)(BOOL, NSError * _Nullable))completion MR_SHORT;
- (void)saveOnlySelfAndWait MR_SHORT;
- (void)saveToPersistentStoreWithCompletion:(void (^ _Nullable)(BOOL, NSError * _Nullable))completion MR_SHORT;
- (void)saveToPersistentStoreAndWait MR_SHORT;
- (void)saveWithOptions:(MRSaveOptions)saveOptions completion:(nullable MRSaveCompletionHandler)completion MR_SHORT;
- (void)save __attribute__((deprecated("Use saveToPersistentStoreAndWait"))) MR_SHORT;
- (void)saveWithErrorCallback:(void (^ _Nullable)(NSError * _Nullable))errorCallback
    __attribute__((deprecated("Use saveToPersistentStoreAndWait"))) MR_SHORT;
- (void)saveInBackgroundCompletion:(void (^ _Nullable)(void))completion
    __attribute__((deprecated("Use saveOnlySelfWithCompletion:"))) MR_SHORT;
- (void)saveInBackgroundErrorHandler:(void (^ _Nullable)(NSError * _Nullable))errorCallback
    __attribute__((deprecated("Use saveOnlySelfWithCompletion:"))) MR_SHORT;
- (void)saveInBackgroundErrorHandler:(void (^ _Nullable)(NSError * _Nullable))errorCallback
    completion:(void (^ _Nullable)(void))completion __attribute__((deprecated("Use saveOnlySelfWithCompletion:")))
    MR_SHORT;
- (void)saveNestedContexts __attribute__((deprecated("Use saveToPersistentStoreWithCompletion:"))) MR_SHORT;
- (void)saveNestedContextsErrorHandler:(void (^ _Nullable)(NSError * _Nullable))errorCallback
    __attribute__((deprecated("Use saveToPersistentStoreWithCompletion:"))) MR_SHORT;
- (void)saveNestedContextsErrorHandler:(void (^ _Nullable)(NSError * _Nullable))errorCallback
    completion:(void (^ _Nullable)(void))completion
    __attribute__((deprecated("Use saveToPersistentStoreWithCompletion:"))) MR_SHORT;
- (void)saveWithBlock:(void (^ _Nullable)(NSManagedObjectContext *))block MR_SHORT;
- (void)saveWithBlock:(void (^ _Nullable)(NSManagedObjectContext *))block
    completion:(void (^ _Nullable)(BOOL, NSError * _Nullable))completion MR_SHORT;
- (void)saveWithBlockAndWait:(void (^ _Nullable)(NSManagedObjectContext *))block MR_SHORT;
+ (NSManagedObjectContext *)contextForCurrentThread
    __attribute__((deprecated("Pass a context, or work inside saveWithBlock:"))) MR_SHORT;
+ (void)clearNonMainThreadContextsCache __attribute__((deprecated("Pass contexts instead of using one per thread")))
    MR_SHORT;
+ (void)resetContextForCurrentThread __attribute__((deprecated("Send reset to the context you mean"))) MR_SHORT;
+ (void)clearContextForCurrentThread __attribute__((deprecated("Pass contexts instead of using one per thread")))
    MR_SHORT;
- (void)observeContext:(NSManagedObjectContext *)other MR_SHORT;
- (void)observeContextOnMainThread:(NSManagedObjectContext *)other MR_SHORT;
- (void)stopObservingContext:(NSManagedObjectContext *)other MR_SHORT;
- (void)observeiCloudChangesInCoordinator:(NSPersistentStoreCoordinator *)coordinator
    __attribute__((deprecated("Apple has ended document storage in iCloud for Core Data")))
    __attribute__((availability(watchos, unavailable, message="There is no document storage in iCloud here; use observeContext:")))
    __attribute__((availability(tvos, unavailable, message="There is no document storage in iCloud here; use observeContext:")))
    MR_SHORT;
- (void)stopObservingiCloudChangesInCoordinator:(NSPersistentStoreCoordinator *)coordinator
    __attribute__((deprecated("Apple has ended document storage in iCloud for Core Data")))
    __attribute__((availability(watchos, unavailable, message="There is no document storage in iCloud here; use observeContext:")))
    __attribute__((availability(tvos, unavailable, message="There is no document storage in iCloud here; use observeContext:")))
    MR_SHORT;
@end

@interface NSManagedObjectModel (MagicalRecordShorthand)
+ (NSManagedObjectModel * _Nullable)defaultManagedObjectModel MR_SHORT;
+ (void)setDefaultManagedObjectModel:(NSManagedObjectModel * _Nullable)model MR_SHORT;
+ (NSManagedObjectModel * _Nullable)mergedObjectModelFromMainBundle MR_SHORT;
+ (NSManagedObjectModel * _Nullable)newManagedObjectModelNamed:(NSString *)name NS_RETURNS_NOT_RETAINED MR_SHORT;
+ (NSManagedObjectModel * _Nullable)managedObjectModelNamed:(NSString *)name MR_SHORT;
+ (NSManagedObjectModel * _Nullable)newModelNamed:(NSString *)name inBundleNamed:(NSString *)bundle
    NS_RETURNS_NOT_RETAINED MR_SHORT;
+ (NSManagedObjectModel * _Nullable)newModelNamed:(NSString *)name inBundle:(NSBundle *)bundle NS_RETURNS_NOT_RETAINED
    MR_SHORT;
@end

@interface NSPersistentStore (MagicalRecordShorthand)
+ (NSPersistentStore * _Nullable)defaultPersistentStore MR_SHORT;
+ (void)setDefaultPersistentStore:(NSPersistentStore * _Nullable)store MR_SHORT;
+ (NSURL *)defaultLocalStoreUrl MR_SHORT;
+ (NSURL * _Nullable)urlForStoreName:(NSString *)name MR_SHORT;
+ (NSURL * _Nullable)cloudURLForUbiquitousContainer:(NSString *)name MR_SHORT;
+ (NSURL * _Nullable)cloudURLForUbiqutiousContainer:(NSString *)name
    __attribute__((deprecated("Use cloudURLForUbiquitousContainer:"))) MR_SHORT;
@end

@interface NSPersistentStoreCoordinator (MagicalRecordShorthand)
+ (NSPersistentStoreCoordinator * _Nullable)defaultStoreCoordinator MR_SHORT;
+ (void)setDefaultStoreCoordinator:(NSPersistentStoreCoordinator * _Nullable)coordinator MR_SHORT;
+ (NSPersistentStoreCoordinator *)coordinatorWithInMemoryStore MR_SHORT;
+ (NSPersistentStoreCoordinator *)newPersistentStoreCoordinator NS_RETURNS_NOT_RETAINED MR_SHORT;
+ (NSPersistentStoreCoordinator *)coordinatorWithSqliteStoreNamed:(NSString *)name MR_SHORT;
+ (NSPersistentStoreCoordinator *)coordinatorWithSqliteStoreNamed:(NSString *)name
    withOptions:(NSDictionary * _Nullable)options MR_SHORT;
+ (NSPersistentStoreCoordinator *)coordinatorWithAutoMigratingSqliteStoreNamed:(NSString *)name MR_SHORT;
+ (NSPersistentStoreCoordinator *)coordinatorWithAutoMigratingSqliteStoreNamed:(NSString *)name
    withOptions:(NSDictionary * _Nullable)options MR_SHORT;
+ (NSPersistentStoreCoordinator *)coordinatorWithSqliteStoreAtURL:(NSURL *)url MR_SHORT;
+ (NSPersistentStoreCoordinator *)coordinatorWithAutoMigratingSqliteStoreAtURL:(NSURL *)url MR_SHORT;
+ (NSPersistentStoreCoordinator *)coordinatorWithPersistentStore:(NSPersistentStore *)store MR_SHORT;
+ (NSPersistentStoreCoordinator *)coordinatorWithiCloudContainerID:(NSString *)container
    contentNameKey:(NSString * _Nullable)contentName localStoreNamed:(NSString *)store
    cloudStorePathComponent:(NSString * _Nullable)path
    __attribute__((deprecated("Apple has ended document storage in iCloud for Core Data")))
    __attribute__((availability(watchos, unavailable, message="There is no document storage in iCloud here; use coordinatorWithAutoMigratingSqliteStoreNamed:")))
    __attribute__((availability(tvos, unavailable, message="There is no document storage in iCloud here; use coordinatorWithAutoMigratingSqliteStoreNamed:")))
    MR_SHORT;
+ (NSPersistentStoreCoordinator *)coordinatorWithiCloudContainerID:(NSString *)container
    contentNameKey:(NSString * _Nullable)contentName localStoreNamed:(NSString *)store
    cloudStorePathComponent:(NSString * _Nullable)path completion:(void (^ _Nullable)(void))completion
    __attribute__((deprecated("Apple has ended document storage in iCloud for Core Data")))
    __attribute__((availability(watchos, unavailable, message="There is no document storage in iCloud here; use coordinatorWithAutoMigratingSqliteStoreNamed:")))
    __attribute__((availability(tvos, unavailable, message="There is no document storage in iCloud here; use coordinatorWithAutoMigratingSqliteStoreNamed:")))
    MR_SHORT;
+ (NSPersistentStoreCoordinator *)coordinatorWithiCloudContainerID:(NSString *)container
    contentNameKey:(NSString * _Nullable)contentName localStoreAtURL:(NSURL *)store
    cloudStorePathComponent:(NSString * _Nullable)path
    __attribute__((deprecated("Apple has ended document storage in iCloud for Core Data")))
    __attribute__((availability(watchos, unavailable, message="There is no document storage in iCloud here; use coordinatorWithAutoMigratingSqliteStoreNamed:")))
    __attribute__((availability(tvos, unavailable, message="There is no document storage in iCloud here; use coordinatorWithAutoMigratingSqliteStoreNamed:")))
    MR_SHORT;
+ (NSPersistentStoreCoordinator *)coordinatorWithiCloudContainerID:(NSString *)container
    contentNameKey:(NSString * _Nullable)contentName localStoreAtURL:(NSURL *)store
    cloudStorePathComponent:(NSString * _Nullable)path completion:(void (^ _Nullable)(void))completion
    __attribute__((deprecated("Apple has ended document storage in iCloud for Core Data")))
    __attribute__((availability(watchos, unavailable, message="There is no document storage in iCloud here; use coordinatorWithAutoMigratingSqliteStoreNamed:")))
    __attribute__((availability(tvos, unavailable, message="There is no document storage in iCloud here; use coordinatorWithAutoMigratingSqliteStoreNamed:")))
    MR_SHORT;
- (NSPersistentStore * _Nullable)addInMemoryStore MR_SHORT;
- (NSPersistentStore * _Nullable)addAutoMigratingSqliteStoreNamed:(NSString *)name MR_SHORT;
- (NSPersistentStore * _Nullable)addAutoMigratingSqliteStoreAtURL:(NSURL *)url MR_SHORT;
- (NSPersistentStore * _Nullable)addSqliteStoreNamed:(id)name withOptions:(NSDictionary * _Nullable)options MR_SHORT;
- (NSPersistentStore * _Nullable)addSqliteStoreNamed:(id)name configuration:(NSString * _Nullable)configuration
    withOptions:(NSDictionary * _Nullable)options MR_SHORT;
- (void)addiCloudContainerID:(NSString *)container contentNameKey:(NSString * _Nullable)contentName
    localStoreNamed:(NSString *)store cloudStorePathComponent:(NSString * _Nullable)path
    __attribute__((deprecated("Apple has ended document storage in iCloud for Core Data")))
    __attribute__((availability(watchos, unavailable, message="There is no document storage in iCloud here; use addAutoMigratingSqliteStoreNamed:")))
    __attribute__((availability(tvos, unavailable, message="There is no document storage in iCloud here; use addAutoMigratingSqliteStoreNamed:")))
    MR_SHORT;
- (void)addiCloudContainerID:(NSString *)container contentNameKey:(NSString * _Nullable)contentName
    localStoreNamed:(NSString *)store cloudStorePathComponent:(NSString * _Nullable)path
    completion:(void (^ _Nullable)(void))completion
    __attribute__((deprecated("Apple has ended document storage in iCloud for Core Data")))
    __attribute__((availability(watchos, unavailable, message="There is no document storage in iCloud here; use addAutoMigratingSqliteStoreNamed:")))
    __attribute__((availability(tvos, unavailable, message="There is no document storage in iCloud here; use addAutoMigratingSqliteStoreNamed:")))
    MR_SHORT;
- (void)addiCloudContainerID:(NSString *)container contentNameKey:(NSString * _Nullable)contentName
    localStoreAtURL:(NSURL *)store cloudStorePathComponent:(NSString * _Nullable)path
    __attribute__((deprecated("Apple has ended document storage in iCloud for Core Data")))
    __attribute__((availability(watchos, unavailable, message="There is no document storage in iCloud here; use addAutoMigratingSqliteStoreNamed:")))
    __attribute__((availability(tvos, unavailable, message="There is no document storage in iCloud here; use addAutoMigratingSqliteStoreNamed:")))
    MR_SHORT;
- (void)addiCloudContainerID:(NSString *)container contentNameKey:(NSString * _Nullable)contentName
    localStoreAtURL:(NSURL *)store cloudStorePathComponent:(NSString * _Nullable)path
    completion:(void (^ _Nullable)(void))completion
    __attribute__((deprecated("Apple has ended document storage in iCloud for Core Data")))
    __attribute__((availability(watchos, unavailable, message="There is no document storage in iCloud here; use addAutoMigratingSqliteStoreNamed:")))
    __attribute__((availability(tvos, unavailable, message="There is no document storage in iCloud here; use addAutoMigratingSqliteStoreNamed:")))
    MR_SHORT;
@end

NS_ASSUME_NONNULL_END
