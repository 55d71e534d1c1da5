import Foundation
import Hummingbird
import MagicalRecord

/// Middleware that maps errors of the address book and of Core Data to HTTP status codes.
struct Failures: RouterMiddleware {
    func handle(
        _ request: Request, context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let failure as AddressBook.Failure {
            throw Problem(failure)
        } catch let error as MagicalRecordError where Self.badInput.contains(error.code) {
            throw Problem(.badRequest, error)
        } catch let error as CocoaError where error.isValidationError {
            throw Problem(.badRequest, error)
        } catch let error as NSError where error.domain == NSCocoaErrorDomain {
            guard let status = Self.statuses[error.code] else { throw error }
            throw Problem(status, error)
        }
    }

    private static let badInput: Set<MagicalRecordError.Code> = [
        .malformedRecord, .unconvertibleValue, .invalidArgument,
    ]

    private static let statuses: [Int: HTTPResponse.Status] = [
        NSManagedObjectMergeError: .conflict, NSManagedObjectConstraintMergeError: .conflict,
        NSPersistentHistoryTokenExpiredError: .gone,
    ]
}

extension Problem {
    fileprivate init(_ failure: AddressBook.Failure) {
        switch failure {
        case .noContact(let id): self.init(.notFound, "There is no contact \(id).", entity: "User", key: "user_id")
        case .otherID(let id):
            self.init(
                .badRequest, "The record has another ID than the path, \(id).", entity: "User", key: "user_id",
                advice: "Leave the ID out.")
        case .noObject:
            self.init(
                .badRequest, "The body is no JSON object.", entity: "User",
                advice: "Send one contact, or a list of contacts to /imports.")
        case .refused(let failures): self.init(.badRequest, errors: failures.map(\.error))
        }
    }
}
