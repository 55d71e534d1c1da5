// A small program as it was written for version 2.4: classes in mogenerator's form, names without prefix, a delegate that
// sets up, a list over a results controller, and an importer that saves in the background.

#define MR_SHORTHAND
#import "CoreData+MagicalRecord.h"
#import "Client.h"

// MARK: _Author.h and _Book.h, as a generator writes them

@class Author;
@class Book;

struct BookAttributes {
    __unsafe_unretained NSString *isbn;
    __unsafe_unretained NSString *title;
};

static const struct BookAttributes BookAttributes = {.isbn = @"isbn", .title = @"title"};

@interface AuthorID : NSManagedObjectID
@end

@interface _Author : NSManagedObject
+ (id)insertInManagedObjectContext:(NSManagedObjectContext *)moc;
+ (NSString *)entityName;
+ (NSEntityDescription *)entityInManagedObjectContext:(NSManagedObjectContext *)moc;
- (AuthorID *)objectID;
@property (nonatomic, strong) NSString *name;
@property (nonatomic, strong) NSSet *books;
- (NSMutableSet *)booksSet;
@end

@interface _Author (BooksCoreDataGeneratedAccessors)
- (void)addBooksObject:(Book *)value;
- (void)removeBooksObject:(Book *)value;
@end

@interface BookID : NSManagedObjectID
@end

@interface _Book : NSManagedObject
+ (id)insertInManagedObjectContext:(NSManagedObjectContext *)moc;
+ (NSString *)entityName;
+ (NSEntityDescription *)entityInManagedObjectContext:(NSManagedObjectContext *)moc;
- (BookID *)objectID;
@property (nonatomic, strong) NSString *isbn;
@property (nonatomic, strong) NSNumber *pages;
@property (nonatomic) int32_t pagesValue;
@property (nonatomic, strong) NSDate *published;
@property (nonatomic, strong) NSString *title;
@property (nonatomic, strong) Author *author;
@end

@interface _Book (CoreDataGeneratedPrimitiveAccessors)
- (NSNumber *)primitivePages;
- (void)setPrimitivePages:(NSNumber *)value;
- (int32_t)primitivePagesValue;
- (void)setPrimitivePagesValue:(int32_t)value;
@end

// MARK: _Author.m and _Book.m

@implementation AuthorID
@end

@implementation _Author

@dynamic name, books;

+ (id)insertInManagedObjectContext:(NSManagedObjectContext *)moc
{
    return [NSEntityDescription insertNewObjectForEntityForName:@"Author" inManagedObjectContext:moc];
}

+ (NSString *)entityName
{
    return @"Author";
}

+ (NSEntityDescription *)entityInManagedObjectContext:(NSManagedObjectContext *)moc
{
    return [NSEntityDescription entityForName:@"Author" inManagedObjectContext:moc];
}

- (AuthorID *)objectID
{
    return (AuthorID *)[super objectID];
}

- (NSMutableSet *)booksSet
{
    [self willAccessValueForKey:@"books"];
    NSMutableSet *result = [self mutableSetValueForKey:@"books"];
    [self didAccessValueForKey:@"books"];
    return result;
}

@end

@implementation BookID
@end

@implementation _Book

@dynamic isbn, pages, published, title, author;

+ (id)insertInManagedObjectContext:(NSManagedObjectContext *)moc
{
    return [NSEntityDescription insertNewObjectForEntityForName:@"Book" inManagedObjectContext:moc];
}

+ (NSString *)entityName
{
    return @"Book";
}

+ (NSEntityDescription *)entityInManagedObjectContext:(NSManagedObjectContext *)moc
{
    return [NSEntityDescription entityForName:@"Book" inManagedObjectContext:moc];
}

- (BookID *)objectID
{
    return (BookID *)[super objectID];
}

- (int32_t)pagesValue
{
    return [[self pages] intValue];
}

- (void)setPagesValue:(int32_t)value
{
    [self setPages:@(value)];
}

- (int32_t)primitivePagesValue
{
    return [[self primitivePages] intValue];
}

- (void)setPrimitivePagesValue:(int32_t)value
{
    [self setPrimitivePages:@(value)];
}

@end

// MARK: Author and Book, which people edit

@interface Author : _Author
@end

@implementation Author
@end

@interface Book : _Book
@property (nonatomic) BOOL wasImported;
@end

@implementation Book

@synthesize wasImported = _wasImported;

- (BOOL)shouldImport:(id)data
{
    return [data[@"isbn"] length] > 0;
}

- (void)didImport:(__unused id)data
{
    self.wasImported = YES;
}

- (BOOL)importTitle:(id)value
{
    self.title = [value hasPrefix:@"The "] ? [value substringFromIndex:4] : value;
    return YES;
}

- (BOOL)shouldImportAuthor:(id)data
{
    return ![data[@"name"] isEqual:@"Unknown"];
}

@end

/// What a program has in its .xcdatamodeld; this one has no compiled models.
static NSManagedObjectModel *libraryModel(void)
{
    NSAttributeDescription *(^attribute)(NSString *, NSAttributeType, NSDictionary *) =
        ^(NSString *name, NSAttributeType type, NSDictionary *info) {
            NSAttributeDescription *description = [[NSAttributeDescription alloc] init];
            description.name = name;
            description.attributeType = type;
            description.optional = ![name isEqualToString:@"isbn"];
            description.userInfo = info;
            return description;
        };
    NSRelationshipDescription *author = [[NSRelationshipDescription alloc] init];
    NSRelationshipDescription *books = [[NSRelationshipDescription alloc] init];
    NSEntityDescription *bookEntity = [[NSEntityDescription alloc] init];
    bookEntity.name = @"Book";
    bookEntity.managedObjectClassName = @"Book";
    bookEntity.userInfo = @{kMagicalRecordImportRelationshipLinkedByKey : @"isbn"};
    bookEntity.properties = @[
        attribute(@"isbn", NSStringAttributeType, @{}), attribute(@"title", NSStringAttributeType, @{}),
        attribute(@"pages", NSInteger32AttributeType, @{kMagicalRecordImportAttributeKeyMapKey : @"page_count"}),
        attribute(@"published", NSDateAttributeType, @{kMagicalRecordImportCustomDateFormatKey : @"dd.MM.yyyy"}), author
    ];
    NSEntityDescription *authorEntity = [[NSEntityDescription alloc] init];
    authorEntity.name = @"Author";
    authorEntity.managedObjectClassName = @"Author";
    authorEntity.properties = @[ attribute(@"name", NSStringAttributeType, @{}), books ];
    author.name = @"author";
    author.destinationEntity = authorEntity;
    author.inverseRelationship = books;
    author.maxCount = 1;
    author.optional = YES;
    author.userInfo = @{
        kMagicalRecordImportRelationshipMapKey : @"writer",
        kMagicalRecordImportRelationshipLinkedByKey : @"name"
    };
    books.name = @"books";
    books.destinationEntity = bookEntity;
    books.inverseRelationship = author;
    books.maxCount = 0;
    books.optional = YES;
    NSManagedObjectModel *model = [[NSManagedObjectModel alloc] init];
    model.entities = @[ bookEntity, authorEntity ];
    return model;
}

// MARK: The application's delegate

@interface LibraryDelegate : NSObject
@property (nonatomic, strong) NSError *lastError;
@end

@implementation LibraryDelegate

- (void)applicationDidFinishLaunching:(NSString *)storeName
{
    [MagicalRecord enableShorthandMethods];
    [MagicalRecord setErrorHandlerTarget:self action:@selector(databaseDidFail:)];
    [NSManagedObjectModel setDefaultManagedObjectModel:libraryModel()];
    [MagicalRecord setupCoreDataStackWithAutoMigratingSqliteStoreNamed:storeName];
    MRLogVerbose(@"%@", [MagicalRecord currentStack]);
}

- (void)applicationDidEnterBackground
{
    [[NSManagedObjectContext defaultContext] saveToPersistentStoreAndWait];
}

- (void)applicationWillTerminate
{
    [MagicalRecord cleanUp];
}

- (void)databaseDidFail:(NSError *)error
{
    self.lastError = error;
}

@end

// MARK: A list

@interface BookListController : NSObject <NSFetchedResultsControllerDelegate>
@property (nonatomic, strong) NSFetchedResultsController *fetchedResultsController;
@property (nonatomic) NSInteger insertions;
@property (nonatomic) NSInteger reloads;
@end

@implementation BookListController

- (void)viewDidLoad
{
    NSPredicate *predicate = [NSPredicate predicateWithFormat:@"author != nil"];
    self.fetchedResultsController = [Book fetchAllSortedBy:@"author.name,title"
                                                 ascending:YES
                                             withPredicate:predicate
                                                   groupBy:@"author.name"
                                                  delegate:self];
}

- (NSInteger)numberOfSections
{
    return (NSInteger)self.fetchedResultsController.sections.count;
}

- (NSInteger)numberOfRowsInSection:(NSInteger)section
{
    id<NSFetchedResultsSectionInfo> info = self.fetchedResultsController.sections[(NSUInteger)section];
    return (NSInteger)[info numberOfObjects];
}

- (NSString *)titleForHeaderInSection:(NSInteger)section
{
    return [self.fetchedResultsController.sections[(NSUInteger)section] name];
}

- (void)controller:(__unused NSFetchedResultsController *)controller
    didChangeObject:(__unused id)object
        atIndexPath:(__unused NSIndexPath *)indexPath
      forChangeType:(NSFetchedResultsChangeType)type
       newIndexPath:(__unused NSIndexPath *)newIndexPath
{
    if (type == NSFetchedResultsChangeInsert) {
        self.insertions += 1;
    }
}

- (void)controllerDidChangeContent:(__unused NSFetchedResultsController *)controller
{
    self.reloads += 1;
}

@end

// MARK: An importer

@interface BookImporter : NSObject
- (void)importRecords:(NSArray *)records completion:(void (^)(BOOL success, NSError *error))completion;
@end

@implementation BookImporter

- (void)importRecords:(NSArray *)records completion:(void (^)(BOOL success, NSError *error))completion
{
    [MagicalRecord saveWithBlock:^(NSManagedObjectContext *localContext) {
        for (Book *book in [Book MR_importFromArray:records inContext:localContext]) {
            CHECK(book.wasImported == (book.managedObjectContext != nil));
        }
    } completion:completion];
}

@end

// MARK: What it does

static void checkLibraryImport(BookListController *list)
{
    NSArray *records = @[
        @{
            @"isbn" : @"1", @"title" : @"The Sea", @"page_count" : @"200", @"published" : @"24.12.2014",
            @"writer" : @{@"name" : @"Ann"}
        },
        @{@"isbn" : @"2", @"title" : @"Land", @"writer" : @{@"name" : @"Ann"}},
        @{@"isbn" : @"3", @"title" : @"Sky", @"writer" : @{@"name" : @"Bob"}},
        @{@"isbn" : @"4", @"title" : @"Void", @"writer" : @{@"name" : @"Unknown"}},
        @{@"title" : @"Without a number"},
    ];
    __block BOOL isDone = NO;
    [[[BookImporter alloc] init] importRecords:records
                                    completion:^(BOOL success, NSError *error) {
                                        CHECK(success && error == nil);
                                        CHECK([NSThread isMainThread]);
                                        isDone = YES;
                                    }];
    CHECK(waitUntil(^{ return isDone; }));
    CHECK(waitUntil(^{ return (BOOL)(list.insertions == 3); }));
    CHECK(list.reloads > 0 && [list numberOfSections] == 2);
    CHECK([list numberOfRowsInSection:0] == 2 && [list numberOfRowsInSection:1] == 1);
    CHECK([[list titleForHeaderInSection:0] isEqualToString:@"Ann"]);
    CHECK([Book countOfEntities] == 4 && [Author countOfEntities] == 2);
    Book *sea = [Book findFirstByAttribute:BookAttributes.isbn withValue:@"1"];
    CHECK([sea.title isEqualToString:@"Sea"] && sea.pagesValue == 200 && sea.primitivePagesValue == 200);
    CHECK([sea.published isEqual:MR_dateFromString(@"24.12.2014", @"dd.MM.yyyy")]);
    CHECK([sea.author.name isEqualToString:@"Ann"] && [sea.author booksSet].count == 2);
    CHECK([[Book findFirstByAttribute:@"isbn" withValue:@"4"] author] == nil);
}

static void checkLibraryEditing(LibraryDelegate *delegate)
{
    // In the background, from an object of the main context.
    Book *sea = [Book findFirstByAttribute:@"isbn" withValue:@"1"];
    __block BOOL isDone = NO;
    [MagicalRecord saveWithBlock:^(NSManagedObjectContext *localContext) {
        Book *localBook = [sea inContext:localContext];
        localBook.pagesValue = 201;
        Author *author = [Author findFirstOrCreateByAttribute:@"name" withValue:@"Cid" inContext:localContext];
        [author addBooksObject:localBook];
    } completion:^(BOOL success, NSError *error) {
        CHECK(success && error == nil);
        isDone = YES;
    }];
    CHECK(waitUntil(^{ return isDone; }));
    CHECK(waitUntil(^{ return (BOOL)(sea.pagesValue == 201 && [sea.author.name isEqualToString:@"Cid"]); }));

    // In the main context.
    Book *moon = [Book createEntity];
    moon.isbn = @"5";
    moon.title = @"Moon";
    CHECK([[Book insertInManagedObjectContext:[NSManagedObjectContext defaultContext]] isKindOfClass:[Book class]]);
    [delegate applicationDidEnterBackground];
    CHECK(delegate.lastError != nil);  // A book without its number.
    delegate.lastError = nil;
    [Book deleteAllMatchingPredicate:[NSPredicate predicateWithFormat:@"isbn == nil"]];
    [delegate applicationDidEnterBackground];
    CHECK(delegate.lastError == nil && ![NSManagedObjectContext defaultContext].hasChanges);
    [moon deleteEntity];
    [delegate applicationDidEnterBackground];
    NSPredicate *isLong = [NSPredicate predicateWithFormat:@"pages > %@", @100];
    CHECK([Book countOfEntities] == 4 && [Book countOfEntitiesWithPredicate:isLong] == 1);
    CHECK([[Book aggregateOperation:@"max:" onAttribute:@"pages" withPredicate:nil] integerValue] == 201);
}

void checkOldProgram(void)
{
    [MagicalRecord cleanUp];
    NSString *storeName = [NSString stringWithFormat:@"Library-%@.sqlite", [NSUUID UUID].UUIDString];
    LibraryDelegate *delegate = [[LibraryDelegate alloc] init];
    [delegate applicationDidFinishLaunching:storeName];
    NSURL *file = [NSPersistentStore defaultPersistentStore].URL;
    CHECK([file.lastPathComponent isEqualToString:storeName]);
    BookListController *list = [[BookListController alloc] init];
    [list viewDidLoad];
    CHECK([list numberOfSections] == 0);
    checkLibraryImport(list);
    checkLibraryEditing(delegate);
    list.fetchedResultsController.delegate = nil;
    [delegate applicationWillTerminate];

    // The next launch finds what the last one saved.
    [delegate applicationDidFinishLaunching:storeName];
    CHECK([Book countOfEntities] == 4);
    CHECK([[Book findAllSortedBy:@"title" ascending:YES].firstObject pagesValue] == 0);
    CHECK([[Book findFirstByAttribute:@"title" withValue:@"Sea"] pagesValue] == 201);
    CHECK(delegate.lastError == nil);
    [delegate applicationWillTerminate];
    for (NSString *suffix in @[ @"", @"-shm", @"-wal" ]) {
        NSString *path = [file.path stringByAppendingString:suffix];
        [[NSFileManager defaultManager] removeItemAtURL:[NSURL fileURLWithPath:path] error:nil];
    }
}
