import Foundation

/// The errors for values whose files cannot be read.
package enum MissingExternalValue {
    /// Marks them in their user info: with the file's name.
    package static let markKey = "NSSQLiteErrorMissingExternalFile"

    /// `NSFileReadNoSuchFileError`, or `NSFileReadUnknownError` for a file that is there, with entity, attribute, owner and file.
    ///
    /// - Parameter owner: the object or row that has the value, as the error shall name it.
    package static func error(
        for missing: ValueFolder.Missing, _ entity: String?, _ attribute: String?, of owner: String?
    ) -> NSError {
        let name = [entity, attribute].compactMap { $0 }.joined(separator: ".")
        let place = owner.map { " of \($0)" } ?? ""
        let isThere = !missing.isGone
        let code: CocoaError.Code = isThere ? .fileReadUnknown : .fileReadNoSuchFile
        return CoreDataError.make(
            code.rawValue, description: "The external file of a value of \(name) cannot be read.",
            reason: "\(name)\(place) is kept in the file \(missing.file.lastPathComponent), which "
                + (isThere ? "cannot be read." : "is not there."),
            advice: isThere
                ? "Let this process read the file, or set the attribute."
                : "Restore the folder \(missing.file.deletingLastPathComponent().path) from a backup, or set the attribute.",
            entity: entity, key: attribute, underlying: missing.underlying,
            userInfo: [NSFilePathErrorKey: missing.file.path, markKey: missing.file.lastPathComponent])
    }

    /// Whether an error says that a file is gone, and not that it could not be read.
    package static func saysGone(_ error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == NSCocoaErrorDomain && error.code == CocoaError.Code.fileReadNoSuchFile.rawValue
            && error.userInfo[markKey] != nil
    }
}
