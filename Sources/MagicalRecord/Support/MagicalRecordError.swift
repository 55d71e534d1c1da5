import CoreData

/// An error of MagicalRecord itself. Core Data's errors are passed on unchanged.
public struct MagicalRecordError: Error, @unchecked Sendable {
    /// The kind of an error. A structure, so that new codes can be added without breaking switches.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        /// Creates a code, for extensions of the framework.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// No default stack exists: `setUp` has not been called.
        public static let notSetUp = Code(rawValue: 1)
        /// `setUp` was called while a default stack exists.
        public static let alreadySetUp = Code(rawValue: 2)
        /// The stack has been torn down.
        public static let tornDown = Code(rawValue: 3)
        /// No context was given, and there is none to use by default.
        public static let missingContext = Code(rawValue: 4)
        /// No model was found, or not the requested one.
        public static let modelNotFound = Code(rawValue: 5)
        /// The model has no such entity, or the class does not determine exactly one.
        public static let unknownEntity = Code(rawValue: 6)
        /// The entity has no such attribute or relationship.
        public static let unknownKey = Code(rawValue: 7)
        /// The entity's class is not the requested class.
        public static let classMismatch = Code(rawValue: 8)
        /// A Swift key path does not name a modeled property.
        public static let unnamedKeyPath = Code(rawValue: 9)
        /// A condition cannot be converted to a predicate.
        public static let unsupportedCondition = Code(rawValue: 10)
        /// A format string does not parse.
        public static let malformedFormat = Code(rawValue: 11)
        /// The object does not exist, or does not exist yet, in the other context.
        public static let objectNotFound = Code(rawValue: 12)
        /// The data to import is malformed.
        public static let malformedRecord = Code(rawValue: 13)
        /// A value cannot be converted to the type of the attribute.
        public static let unconvertibleValue = Code(rawValue: 14)
        /// The operation was cancelled.
        public static let cancelled = Code(rawValue: 15)
        /// A store's files could not be found, read or removed.
        public static let storeFile = Code(rawValue: 17)
        /// A value cannot be written as JSON.
        public static let unexportableValue = Code(rawValue: 18)
        /// An object of an abstract entity cannot be created.
        public static let abstractEntity = Code(rawValue: 19)
        /// The stack cannot be torn down here while its saves are running.
        public static let savesRunning = Code(rawValue: 20)
        /// The context has no coordinator, or its coordinator has no store.
        public static let noStore = Code(rawValue: 21)
        /// An argument is out of range, such as a negative page number.
        public static let invalidArgument = Code(rawValue: 22)
        /// A nested save would wait for work that may be waiting for the outer save.
        public static let wouldDeadlock = Code(rawValue: 23)

        /// Returns whether an error has this code, so that codes can be `catch` patterns.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? MagicalRecordError)?.code == code }
    }

    /// The kind of the error.
    public var code: Code
    /// A sentence that describes the error.
    public var message: String
    /// A sentence that describes the remedy, if there is one.
    public var advice: String?
    /// The entity concerned.
    public var entity: String?
    /// The attribute, relationship or key path concerned.
    public var key: String?
    /// The object concerned.
    public var objectID: NSManagedObjectID?
    /// The index of the imported record concerned, from 0; nil outside of imports and for an import of one record.
    public var record: Int?
    /// The place in the imported record, by the record's own keys: `doctors[0].name`.
    public var path: String?
    /// The error that caused this one.
    public var underlying: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, advice: String? = nil, entity: String? = nil, key: String? = nil,
        objectID: NSManagedObjectID? = nil, underlying: (any Error)? = nil
    ) {
        (self.code, self.message, self.advice, self.underlying) = (code, message, advice, underlying)
        (self.entity, self.key, self.objectID) = (entity, key, objectID)
    }

    static let tornDown = Self(.tornDown, "The stack has been torn down.", advice: "Set up a new one.")
}

extension MagicalRecordError: CustomStringConvertible, LocalizedError, CustomNSError {
    public var description: String {
        let places = [entity.map { "entity \($0)" }, key.map { "key \($0)" }].compactMap(\.self)
        let place = places.isEmpty ? nil : "(\(places.joined(separator: ", ")))"
        return [located, place, advice, underlying.map { "Cause: \($0)" }].compactMap(\.self).joined(separator: " ")
    }

    /// The message, preceded by the place in the import.
    private var located: String {
        let places = [record.map { "record \($0)" }, path].compactMap(\.self)
        return places.isEmpty ? message : "\(places.joined(separator: ", ")): \(message)"
    }

    public var errorDescription: String? { located }
    public var recoverySuggestion: String? { advice }
    public static var errorDomain: String { "MagicalRecordErrorDomain" }
    public var errorCode: Int { code.rawValue }

    public var errorUserInfo: [String: Any] {
        let info: [String: Any?] = [
            NSLocalizedDescriptionKey: located, NSLocalizedRecoverySuggestionErrorKey: advice,
            NSValidationKeyErrorKey: key, "entity": entity, "objectID": objectID,
            NSUnderlyingErrorKey: underlying.map { $0 as NSError },
        ]
        return info.compactMapValues { $0 }
    }
}
