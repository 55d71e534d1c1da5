// The types Swift has, but cannot export.

#pragma once

#import <Foundation/Foundation.h>
#import <CoreData/CoreData.h>

// Swift code has these from the module MagicalRecord. Without this mark it would see everything twice where a bridging
// header imports these headers.
#define MR_SWIFT_HAS_IT NS_SWIFT_UNAVAILABLE("Swift has this from the module MagicalRecord")

NS_ASSUME_NONNULL_BEGIN

/// How a save behaves. `MRSaveOptionNone` saves one context, asynchronously.
typedef NS_OPTIONS(NSUInteger, MRSaveOptions) {
    MRSaveOptionNone = 0,
    /// Save the parents too, up to the store.
    MRSaveParentContexts = 1 << 1,
    /// Return when everything has been saved.
    MRSaveSynchronously = 1 << 2,
    /// Return when everything but the root context, which writes the store, has been saved.
    MRSaveSynchronouslyExceptRootContext = 1 << 3
} NS_SWIFT_NAME(MRSaveOptionsOfObjectiveC);

/// A block that works with a context.
typedef void (^CoreDataBlock)(NSManagedObjectContext *context) NS_SWIFT_NAME(CoreDataBlockOfObjectiveC);

/// Called at the end of a save, on the main queue. Neither saved nor an error means that there was nothing to save.
typedef void (^MRSaveCompletionHandler)(BOOL contextDidSave, NSError *_Nullable error)
    NS_SWIFT_NAME(MRSaveCompletionHandlerOfObjectiveC);

NS_ASSUME_NONNULL_END
