import Foundation

open class NSPersistentStore: NSObject, @unchecked Sendable {}
