import CoreData
import Foundation

/// A class as Xcode 7 and 8 generated them, with Objective-C's classes for most types.
public class JournalEntry: NSManagedObject {
}

extension JournalEntry {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<JournalEntry> {
        return NSFetchRequest<JournalEntry>(entityName: "JournalEntry");
    }

    @NSManaged public var count: NSNumber?
    @NSManaged public var day: NSDate
    @NSManaged public var identifier: NSUUID?
    @NSManaged public var keywords: [String]?
    @NSManaged public var link: NSURL?
    @NSManaged public var photo: NSData?
    @NSManaged public var places: NSArray?
    @NSManaged public var price: NSDecimalNumber?
    @NSManaged public var rating: NSObject?
    @NSManaged public var text: NSString?
    @available(*, deprecated, message: "Read day instead")
    @NSManaged public var timestamp: NSDate?
    @NSManaged public var earlier: NSSet?
    @NSManaged public var later: NSOrderedSet?
    @NSManaged public var neighbor: NSManagedObject?

    @NSManaged var primitiveDay: NSDate
}

// MARK: Generated accessors for earlier
extension JournalEntry {

    @NSManaged public func addToEarlier(_ value: JournalEntry)

    @NSManaged public func addToEarlier(_ values: NSSet)

}
