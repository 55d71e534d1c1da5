import CoreDataSQLQueries
import CoreDataRowStorage
import Foundation

/// An error for a row that cannot be decoded. The caller adds table, column and key.
enum UnreadableRow: Error {
    /// A key, an entity number or a version has a value that Core Data does not write.
    case outOfRange(column: Int32, value: Int64)

    /// The largest version that is read. Each save adds 1, so a larger one indicates damage.
    static var largestVersion: Int64 { Int64(Int32.max) }

    /// Returns an `NSFileReadCorruptFileError` for a number in a file that is out of range.
    static func outOfRange(
        _ value: Int64, table: String, column: String, key: Int64?, path: String, entity: String? = nil
    ) -> NSError {
        SQLiteFailure.storeError(
            CocoaError.fileReadCorruptFile.rawValue, path: path,
            description: "The store “\((path as NSString).lastPathComponent)” is damaged.",
            reason:
                "\(table).\(column)\(key.map { " of the row with Z_PK \($0)" } ?? "") is \(value), which is out of range.",
            advice: "Restore it from a backup; the file was left as it is.",
            userInfo: ["entity": entity as Any?, "table": table, "column": column].compactMapValues { $0 })
    }
}

extension SQLiteEngine {
    /// Returns the error for a row, with entity, table, column and key.
    @inline(never)
    func unreadable(
        _ failure: UnreadableRow, _ plan: RowPlan, _ decoder: Unmanaged<RowDecoder>, key: Int64
    ) -> any Error {
        guard let layout = layouts.byNumber[decoder._withUnsafeGuaranteedRef(\.number)] else { return failure }
        switch failure {
        case .outOfRange(let column, let value):
            return UnreadableRow.outOfRange(
                value, table: schema.entities[layout.number]?.table ?? "",
                column: column >= 0 && Int(column) < plan.names.count ? plan.names[Int(column)] : "a column",
                key: key, path: pool.path, entity: layout.name)
        }
    }
}
