import Foundation

/// The errors for rows that name a file that is not there.
package enum MissingExternalValue {
    /// Marks them in their user info.
    package static let markKey = "NSSQLiteErrorMissingExternalFile"

    /// Whether an error of a read says that a row names a missing file.
    package static func isReason(for error: any Error) -> Bool { (error as NSError).userInfo[markKey] != nil }

    /// The error for a value that would have to be written to another row or store.
    package static func cannotBeCopied(_ entity: String, _ attribute: String, key: Int64) -> NSError {
        make(
            entity, attribute,
            "The external file of \(entity).\(attribute) of the row with primary key \(key) is missing.")
    }

    package static func make(_ entity: String, _ attribute: String, _ reason: String) -> NSError {
        CoreDataError.make(
            CocoaError.fileReadNoSuchFile.rawValue,
            description: "The external file of a value of \(entity).\(attribute) cannot be read.", reason: reason,
            advice: "Restore the folder of external files from a backup and refresh the object, or set the attribute.",
            entity: entity, key: attribute, userInfo: [markKey: true])
    }
}
