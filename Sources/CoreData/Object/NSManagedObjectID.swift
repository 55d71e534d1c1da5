import Foundation

open class NSManagedObjectID: NSObject, @unchecked Sendable {
    open var entity: NSEntityDescription { NSEntityDescription() }
}
