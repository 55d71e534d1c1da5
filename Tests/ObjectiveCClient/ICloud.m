#import "Client.h"

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

/// Compiled, but not run: what iCloud answers depends on the account and the program's rights.
static void useICloud(void (^completion)(void))
{
    NSURL *url = [NSPersistentStore MR_defaultLocalStoreUrl];
    (void)[NSPersistentStore MR_cloudURLForUbiquitousContainer:@"container"];
    (void)[NSPersistentStore MR_cloudURLForUbiqutiousContainer:@"container"];
    [MagicalRecord setupCoreDataStackWithiCloudContainer:@"c" localStoreNamed:@"s"];
    [MagicalRecord setupCoreDataStackWithiCloudContainer:@"c" localStoreAtURL:url];
    [MagicalRecord setupCoreDataStackWithiCloudContainer:@"c"
                                          contentNameKey:nil
                                         localStoreNamed:@"s"
                                 cloudStorePathComponent:nil];
    [MagicalRecord setupCoreDataStackWithiCloudContainer:@"c"
                                          contentNameKey:nil
                                         localStoreNamed:@"s"
                                 cloudStorePathComponent:nil
                                              completion:completion];
    [MagicalRecord setupCoreDataStackWithiCloudContainer:@"c"
                                          contentNameKey:nil
                                         localStoreAtURL:url
                                 cloudStorePathComponent:nil];
    [MagicalRecord setupCoreDataStackWithiCloudContainer:@"c"
                                          contentNameKey:nil
                                         localStoreAtURL:url
                                 cloudStorePathComponent:nil
                                              completion:completion];
    NSPersistentStoreCoordinator *coordinator =
        [NSPersistentStoreCoordinator MR_coordinatorWithiCloudContainerID:@"c"
                                                           contentNameKey:nil
                                                          localStoreNamed:@"s"
                                                  cloudStorePathComponent:nil];
    (void)[NSPersistentStoreCoordinator MR_coordinatorWithiCloudContainerID:@"c"
                                                             contentNameKey:nil
                                                            localStoreNamed:@"s"
                                                    cloudStorePathComponent:nil
                                                                 completion:completion];
    (void)[NSPersistentStoreCoordinator MR_coordinatorWithiCloudContainerID:@"c"
                                                             contentNameKey:nil
                                                            localStoreAtURL:url
                                                    cloudStorePathComponent:nil];
    (void)[NSPersistentStoreCoordinator MR_coordinatorWithiCloudContainerID:@"c"
                                                             contentNameKey:nil
                                                            localStoreAtURL:url
                                                    cloudStorePathComponent:nil
                                                                 completion:completion];
    [coordinator MR_addiCloudContainerID:@"c" contentNameKey:nil localStoreNamed:@"s" cloudStorePathComponent:nil];
    [coordinator MR_addiCloudContainerID:@"c"
                          contentNameKey:nil
                         localStoreNamed:@"s"
                 cloudStorePathComponent:nil
                              completion:completion];
    [coordinator MR_addiCloudContainerID:@"c" contentNameKey:nil localStoreAtURL:url cloudStorePathComponent:nil];
    [coordinator MR_addiCloudContainerID:@"c"
                          contentNameKey:nil
                         localStoreAtURL:url
                 cloudStorePathComponent:nil
                              completion:completion];
}

void checkICloud(void)
{
    startInMemory();
    CHECK([MagicalRecord isICloudEnabled] == NO);
    if ([MagicalRecord isICloudEnabled]) {
        useICloud(^{ });
    }
    // Without iCloud these do nothing.
    NSManagedObjectContext *context = [NSManagedObjectContext MR_defaultContext];
    NSPersistentStoreCoordinator *coordinator = [NSPersistentStoreCoordinator MR_defaultStoreCoordinator];
    if (coordinator != nil) {
        [context MR_observeiCloudChangesInCoordinator:coordinator];
        [context MR_stopObservingiCloudChangesInCoordinator:coordinator];
    }
}
