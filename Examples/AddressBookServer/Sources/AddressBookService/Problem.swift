import Foundation
import Hummingbird
import MagicalRecord

/// An error response: a status, and one or several errors as JSON with the entity and the key that they concern.
struct Problem: HTTPResponseError {
    /// One error.
    struct Detail: Codable, Sendable {
        var message: String
        var entity: String?
        var key: String?
        /// The index of a record of an import, from 0.
        var record: Int?
        var advice: String?
    }

    /// The body of the response.
    struct Body: ResponseEncodable {
        var errors: [Detail]
    }

    let status: HTTPResponse.Status
    let details: [Detail]

    /// Creates a response from errors of Core Data and MagicalRecord, of which the first ten are named.
    init(_ status: HTTPResponse.Status, errors: [any Error]) {
        (self.status, details) = (status, errors.prefix(10).flatMap(Detail.all))
    }

    init(_ status: HTTPResponse.Status, _ error: any Error) { self.init(status, errors: [error]) }

    init(
        _ status: HTTPResponse.Status, _ message: String, entity: String? = nil, key: String? = nil,
        advice: String? = nil
    ) {
        (self.status, details) = (status, [Detail(message: message, entity: entity, key: key, advice: advice)])
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        var response = try Body(errors: details).response(from: request, context: context)
        response.status = status
        return response
    }
}

extension Problem.Detail {
    /// Returns what an error says; of several validation errors in one, each.
    fileprivate static func all(_ error: any Error) -> [Self] {
        if let error = error as? MagicalRecordError {
            return [
                Self(
                    message: error.message, entity: error.entity, key: error.path ?? error.key, record: error.record,
                    advice: error.advice)
            ]
        }
        let error = error as NSError
        if let several = error.userInfo[NSDetailedErrorsKey] as? [NSError] { return several.prefix(10).map(one) }
        return [one(error)]
    }

    private static func one(_ error: NSError) -> Self {
        let conflict = (error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict])?.first
        let object =
            error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject ?? conflict?.conflictingObjects.first
        return Self(
            message: error.localizedDescription, entity: object?.entity.name,
            key: error.userInfo[NSValidationKeyErrorKey] as? String ?? conflict?.constraint.joined(separator: ", "),
            advice: error.localizedRecoverySuggestion)
    }
}
