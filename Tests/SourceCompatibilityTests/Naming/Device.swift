import CoreData
import Foundation

/// A class whose properties have names that look like something else, and one of a class of the program.
class Device: NSManagedObject {
    @NSManaged var mode: String?
    @NSManaged var primitiveMode: String?
    @NSManaged var primitiveTags: [String]?
    @NSManaged var primitiveRank: Int64
    @NSManaged var bought: Date
    @NSManaged var primitiveBought: Date
    @NSManaged var reading: Reading?
    @NSManaged var firstReading: Reading
    @NSManaged var owner: Device?

    var readingOrDefault: Reading { reading ?? Reading() }
    var readingOrFirst: Reading? { reading ?? firstReading }
}

/// A value that is kept by a transformer.
final class Reading: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    init?(coder: NSCoder) {}
    func encode(with coder: NSCoder) {}
}
