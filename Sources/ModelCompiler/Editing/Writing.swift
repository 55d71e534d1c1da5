import CoreDataModelBuilding
import Foundation

/// Returns the result of a closure that writes a file or folder.
///
/// - Throws: ``Diagnostic`` with the path and the system's reason in place of Foundation's errors, which may name neither.
func writing<Result>(to path: String, _ body: () throws -> Result) throws(Diagnostic) -> Result {
    do {
        return try body()
    } catch let error as Diagnostic {
        throw error
    } catch {
        throw Diagnostic(
            message: "this cannot be written: \(reason(for: error))", file: path,
            advice: "Check the path, the permissions of its folder, and the free space")
    }
}

/// Returns the system's description of the error below one of Foundation's: `Permission denied`.
private func reason(for error: any Error) -> String {
    let error = error as NSError
    let underlying = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
    let cause = underlying ?? error
    return cause.domain == NSPOSIXErrorDomain
        ? String(cString: strerror(Int32(cause.code))) : error.localizedDescription
}
