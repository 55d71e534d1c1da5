// The protocols classes of the program may follow.

#pragma once

#import <MagicalRecord/MagicalRecordTypes.h>

NS_ASSUME_NONNULL_BEGIN

/// What a class may have to say in the import of its objects.
///
/// Besides these, methods named after a property are called: `- (BOOL)import<Attribute>:(id)value`,
/// `- (BOOL)shouldImport<Relationship>:(id)data` and `- (BOOL)import<Relationship>:(id)record`.
NS_SWIFT_NAME(MagicalRecordDataImportOfObjectiveC)
@protocol MagicalRecordDataImportProtocol <NSObject>
@optional
/// Whether the record is to be imported into this object.
- (BOOL)shouldImport:(id)data;
/// Called before values are set.
- (void)willImport:(id)data;
/// Called after values and relationships are set.
- (void)didImport:(id)data;
@end

/// What classes written by mogenerator have. Of these the class methods `entityName` and `insertInManagedObjectContext:`
/// are looked for, whether a class says that it follows the protocol or not.
NS_SWIFT_NAME(MagicalRecordMOGeneratorOfObjectiveC)
@protocol MagicalRecord_MOGenerator <NSObject>
@optional
+ (NSString *)entityName;
- (nullable instancetype)entityInManagedObjectContext:(NSManagedObjectContext *)context;
- (nullable instancetype)insertInManagedObjectContext:(NSManagedObjectContext *)context;
@end

#ifndef __swift__
// Not for Swift, whose subclasses would have to write `override` for these.
@interface NSManagedObject (MagicalRecordDataImportProtocol) <MagicalRecordDataImportProtocol>
@end
#endif

NS_ASSUME_NONNULL_END
