// Compiled by .ci/apple-objective-c alone, over the Objective-C classes of Tests/ObjectiveCClient.
#if OBJECTIVE_C_CLIENT
// snippet
import MagicalRecord

func adults(in context: NSManagedObjectContext) throws -> [User] {
    try User.findAll(where: \.age >= 18, sortedBy: \.name, in: context)
}
// end

// snippet
extension User {
    @objc(adultsAndReturnError:)
    static func adults() throws -> [User] {
        try findAll(where: \.age >= 18, sortedBy: \.name)
    }
}
// end

// snippet
final class LibraryRecord: MagicalRecord {
    override class func defaultStoreName() -> String { "Library.sqlite" }
}
// end
#endif
