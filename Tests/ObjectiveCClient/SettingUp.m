#import "Client.h"

static NSURL *makeFolder(void)
{
    NSString *name = [NSString stringWithFormat:@"MagicalRecord-%@", [NSUUID UUID].UUIDString];
    NSURL *folder = [NSURL fileURLWithPath:[NSTemporaryDirectory() stringByAppendingPathComponent:name]];
    CHECK([[NSFileManager defaultManager] createDirectoryAtURL:folder
                                   withIntermediateDirectories:YES
                                                    attributes:nil
                                                         error:nil]);
    return folder;
}

/// Has a default stack, with one store, whose file has that name.
static BOOL hasStore(NSString *name)
{
    NSPersistentStore *store = [NSPersistentStore MR_defaultPersistentStore];
    return [store.URL.lastPathComponent isEqualToString:name];
}

static void removeStore(void)
{
    NSURL *file = [NSPersistentStore MR_defaultPersistentStore].URL;
    [MagicalRecord cleanUp];
    for (NSString *suffix in @[ @"", @"-shm", @"-wal" ]) {
        NSString *path = [file.path stringByAppendingString:suffix];
        if (path != nil) {
            [[NSFileManager defaultManager] removeItemAtURL:[NSURL fileURLWithPath:path] error:nil];
        }
    }
    [NSManagedObjectModel MR_setDefaultManagedObjectModel:makeModel()];
}

static void checkStacks(NSURL *folder)
{
    NSString *own = [NSString stringWithFormat:@"%@.sqlite", [NSUUID UUID].UUIDString];
    [MagicalRecord setupCoreDataStackWithStoreAtURL:[folder URLByAppendingPathComponent:@"plain.sqlite"]];
    CHECK(hasStore(@"plain.sqlite"));
    CHECK([[MagicalRecord currentStack] length] > 0);
    removeStore();
    NSURL *migrating = [folder URLByAppendingPathComponent:@"auto.sqlite"];
    [MagicalRecord setupCoreDataStackWithAutoMigratingSqliteStoreAtURL:migrating];
    CHECK(hasStore(@"auto.sqlite"));
    removeStore();
    [MagicalRecord setupCoreDataStackWithStoreNamed:own];
    CHECK(hasStore(own));
    removeStore();
    [MagicalRecord setupCoreDataStackWithAutoMigratingSqliteStoreNamed:own];
    CHECK(hasStore(own));
    removeStore();
    [MagicalRecord setupCoreDataStack];
    CHECK(hasStore([MagicalRecord defaultStoreName]));
    removeStore();
    [MagicalRecord setupAutoMigratingCoreDataStack];
    CHECK(hasStore([MagicalRecord defaultStoreName]));
    removeStore();
}

static void checkCoordinators(NSURL *folder)
{
    NSURL *file = [folder URLByAppendingPathComponent:@"coordinator.sqlite"];
    NSString *name = [NSString stringWithFormat:@"%@.sqlite", [NSUUID UUID].UUIDString];
    CHECK([NSPersistentStoreCoordinator MR_coordinatorWithInMemoryStore].persistentStores.count == 1);
    NSArray<NSPersistentStoreCoordinator *> *coordinators = @[
        [NSPersistentStoreCoordinator MR_coordinatorWithSqliteStoreAtURL:file],
        [NSPersistentStoreCoordinator MR_coordinatorWithAutoMigratingSqliteStoreAtURL:file],
        [NSPersistentStoreCoordinator MR_coordinatorWithSqliteStoreNamed:name],
        [NSPersistentStoreCoordinator MR_coordinatorWithSqliteStoreNamed:name withOptions:nil],
        [NSPersistentStoreCoordinator MR_coordinatorWithAutoMigratingSqliteStoreNamed:name],
        [NSPersistentStoreCoordinator MR_coordinatorWithAutoMigratingSqliteStoreNamed:name withOptions:@{}],
        [NSPersistentStoreCoordinator MR_newPersistentStoreCoordinator],
    ];
    for (NSPersistentStoreCoordinator *coordinator in coordinators) {
        CHECK(coordinator.persistentStores.count == 1);
    }
    NSPersistentStore *store = coordinators[0].persistentStores[0];
    CHECK([NSPersistentStoreCoordinator MR_coordinatorWithPersistentStore:store].persistentStores.count == 1);

    NSPersistentStoreCoordinator *empty =
        [[NSPersistentStoreCoordinator alloc] initWithManagedObjectModel:makeModel()];
    CHECK([empty MR_addInMemoryStore] != nil);
    CHECK([empty MR_addAutoMigratingSqliteStoreNamed:name] != nil);
    CHECK([empty MR_addAutoMigratingSqliteStoreAtURL:[folder URLByAppendingPathComponent:@"a.sqlite"]] != nil);
    CHECK([empty MR_addSqliteStoreNamed:[folder URLByAppendingPathComponent:@"b.sqlite"] withOptions:nil] != nil);
    NSURL *last = [folder URLByAppendingPathComponent:@"c.sqlite"];
    CHECK([empty MR_addSqliteStoreNamed:last configuration:nil withOptions:nil] != nil);

    [NSPersistentStore MR_setDefaultPersistentStore:nil];
    [NSPersistentStoreCoordinator MR_setDefaultStoreCoordinator:coordinators[0]];
    CHECK([NSPersistentStoreCoordinator MR_defaultStoreCoordinator] == coordinators[0]);
    CHECK([NSPersistentStore MR_defaultPersistentStore] == store);
    [MagicalRecord cleanUp];
}

void checkSettingUp(void)
{
    [MagicalRecord cleanUp];
    NSURL *folder = makeFolder();
    NSManagedObjectModel *model = makeModel();
    [NSManagedObjectModel MR_setDefaultManagedObjectModel:model];
    CHECK([NSManagedObjectModel MR_defaultManagedObjectModel] == model);
    checkStacks(folder);
    checkCoordinators(folder);

    CHECK([[MagicalRecord defaultStoreName] hasSuffix:@"sqlite"]);
    CHECK([[NSPersistentStore MR_defaultLocalStoreUrl].lastPathComponent
        isEqualToString:kMagicalRecordDefaultStoreFileName]);
    CHECK([[NSPersistentStore MR_urlForStoreName:@"x.sqlite"].lastPathComponent isEqualToString:@"x.sqlite"]);

    // This program has no compiled models.
    CHECK([NSManagedObjectModel MR_newManagedObjectModelNamed:@"None.momd"] == nil);
    CHECK([NSManagedObjectModel MR_managedObjectModelNamed:@"None.momd"] == nil);
    CHECK([NSManagedObjectModel MR_newModelNamed:@"None.momd" inBundleNamed:@"None"] == nil);
    CHECK([NSManagedObjectModel MR_newModelNamed:@"None.momd" inBundle:[NSBundle mainBundle]] == nil);
    (void)[NSManagedObjectModel MR_mergedObjectModelFromMainBundle];
    [MagicalRecord setDefaultModelNamed:@"None.momd"];
    [MagicalRecord setDefaultModelFromClass:[User class]];

    BOOL flag = [MagicalRecord shouldAutoCreateManagedObjectModel];
    [MagicalRecord setShouldAutoCreateManagedObjectModel:!flag];
    CHECK([MagicalRecord shouldAutoCreateManagedObjectModel] != flag);
    [MagicalRecord setShouldAutoCreateManagedObjectModel:flag];
    flag = [MagicalRecord shouldAutoCreateDefaultPersistentStoreCoordinator];
    [MagicalRecord setShouldAutoCreateDefaultPersistentStoreCoordinator:flag];
    flag = [MagicalRecord shouldDeleteStoreOnModelMismatch];
    [MagicalRecord setShouldDeleteStoreOnModelMismatch:flag];
    CHECK([MagicalRecord shouldDeleteStoreOnModelMismatch] == flag);
    [[NSFileManager defaultManager] removeItemAtURL:folder error:nil];
}
