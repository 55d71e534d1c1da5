import Foundation

/// The errors for values in external files that cannot be read.
package enum MissingExternalValue {
    /// The user info key, with the file's name as its value, that identifies these errors.
    package static let markKey = "NSSQLiteErrorMissingExternalFile"

    /// Returns `NSFileReadNoSuchFileError`, or `NSFileReadUnknownError` if the file exists, with entity, attribute, owner and
    /// file.
    ///
    /// - Parameter owner: the object or row that has the value, as text for the error's reason.
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

    /// Returns whether an error reports that the file does not exist, rather than that reading it failed.
    package static func saysGone(_ error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == NSCocoaErrorDomain && error.code == CocoaError.Code.fileReadNoSuchFile.rawValue
            && error.userInfo[markKey] != nil
    }
}
