#if canImport(CoreDataSQLiteStorage)
import Foundation

extension StoreQuery {
    /// One row of a result.
    public struct Row: Sendable {
        /// The name of the row's entity, which may be a subentity of the query's.
        public let entity: String
        /// The primary key.
        public let key: Int64
        /// The key paths of the values, equal in all rows of a result.
        public let columns: [String]
        /// The values, in the order of ``columns``.
        public internal(set) var values: [Value]
        let storeUUID: String

        /// The URI of the object, `x-coredata://UUID/Entity/pN`.
        public var uri: URL { ObjectAddress(storeUUID: storeUUID, entity: entity, key: key).uri }

        /// Returns the value of a column; nil if the result has no such column.
        public subscript(column: String) -> Value? {
            columns.firstIndex(of: column).map { values[$0] }
        }
    }

    /// A value of a row.
    public enum Value: Sendable, Hashable {
        /// No value.
        case none
        case integer(Int64)
        case boolean(Bool)
        case double(Double)
        case decimal(Decimal)
        case string(String)
        case date(Date)
        case uuid(UUID)
        case url(URL)
        /// The bytes of a binary attribute, wherever they are stored.
        case data(Data)
        /// The object of a to-one relationship, or of the row itself.
        case object(uri: URL, entity: String)
        /// The members of a to-many relationship, or their values; in the relationship's order if it has one.
        case list([Value])
        /// The value of a transformable attribute, which is not unarchived: the name of its class, from the model or from the
        /// archive, and the size of the stored bytes.
        case transformable(className: String?, byteCount: Int)
        /// The elements that have a value, by name. Elements that are composite are composites again.
        case composite([String: Value])
        /// A value with an external file that is missing or cannot be read.
        case missingFile(name: String)
        /// A stored value that is not of the attribute's type; `reason` says what is stored.
        case unreadable(reason: String)
    }
}
#endif
