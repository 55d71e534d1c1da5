#import "MagicalRecord+Private.h"

/// The request with a limit of one object, and the named attributes to be read at once.
static NSFetchRequest *MR_requestForOne(NSFetchRequest *request, NSArray *_Nullable properties)
{
    request.fetchLimit = 1;
    if (properties != nil) {
        request.propertiesToFetch = properties;
    }
    return request;
}

@implementation NSManagedObject (MagicalRecordRetrievingAttributes)

+ (instancetype)MR_findFirstWithPredicate:(NSPredicate *)searchTerm
                                 sortedBy:(NSString *)sortBy
                                ascending:(BOOL)ascending
                    andRetrieveAttributes:(id)attributes, ...
{
    NSFetchRequest *request = [self MR_requestAllSortedBy:sortBy ascending:ascending withPredicate:searchTerm];
    NSArray *properties = [attributes isKindOfClass:[NSArray class]] ? [self MR_propertiesNamed:attributes] : nil;
    return [self MR_executeFetchRequestAndReturnFirstObject:MR_requestForOne(request, properties)];
}

+ (instancetype)MR_findFirstWithPredicate:(NSPredicate *)searchTerm
                                 sortedBy:(NSString *)sortBy
                                ascending:(BOOL)ascending
                                inContext:(NSManagedObjectContext *)context
                    andRetrieveAttributes:(id)attributes, ...
{
    NSFetchRequest *request = [self MR_requestAllSortedBy:sortBy
                                                ascending:ascending
                                            withPredicate:searchTerm
                                                inContext:context];
    NSArray *properties =
        [attributes isKindOfClass:[NSArray class]] ? [self MR_propertiesNamed:attributes inContext:context] : nil;
    return [self MR_executeFetchRequestAndReturnFirstObject:MR_requestForOne(request, properties) inContext:context];
}

@end
