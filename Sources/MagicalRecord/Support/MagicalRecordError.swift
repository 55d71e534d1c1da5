import CoreData

/// What went wrong in MagicalRecord itself, as opposed to in Core Data, whose errors are passed on unchanged.
///
/// The code is an open structure, so that new codes can be added without breaking code that switches over them.
/// The sentence for humans is in ``message``, what to do about it in ``advice``; `entity`, `key` and `objectID` say
/// where.
public struct MagicalRecordError: Error, @unchecked Sendable {
    /// The kind of an error, for programs.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        /// An error, for code that extends the framework.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// No default stack exists: nobody has called `setUp`.
        public static let notSetUp = Code(rawValue: 1)
        /// `setUp` was called while a default stack exists.
        public static let alreadySetUp = Code(rawValue: 2)
        /// The stack has been torn down.
        public static let tornDown = Code(rawValue: 3)
        /// A context was left out where none can be assumed.
        public static let missingContext = Code(rawValue: 4)
        /// No model, or not the one asked for, was found.
        public static let modelNotFound = Code(rawValue: 5)
        /// The model has no such entity, or the class does not lead to exactly one.
        public static let unknownEntity = Code(rawValue: 6)
        /// The entity has no such attribute or relationship.
        public static let unknownKey = Code(rawValue: 7)
        /// The entity's class is not the class that was asked for.
        public static let classMismatch = Code(rawValue: 8)
        /// A Swift key path does not name a modelled property.
        public static let unnamedKeyPath = Code(rawValue: 9)
        /// A condition that cannot be put into a predicate.
        public static let unsupportedCondition = Code(rawValue: 10)
        /// A format string that does not parse.
        public static let malformedFormat = Code(rawValue: 11)
        /// The object is not there, or not yet there, in the other context.
        public static let objectNotFound = Code(rawValue: 12)
        /// The data to import is not what an import needs.
        public static let malformedRecord = Code(rawValue: 13)
        /// A value cannot be converted to the type of the attribute.
        public static let unconvertibleValue = Code(rawValue: 14)
        /// The operation was cancelled.
        public static let cancelled = Code(rawValue: 15)
        /// A store's files could not be found, read or removed.
        public static let storeFile = Code(rawValue: 17)
        /// An object graph that cannot be written as JSON.
        public static let unexportableValue = Code(rawValue: 18)
        /// An object of an abstract entity was to be made.
        public static let abstractEntity = Code(rawValue: 19)
        /// A stack was to be torn down where its running saves cannot be waited for.
        public static let savesRunning = Code(rawValue: 20)
        /// A context was to be saved whose coordinator has no store, or that has no coordinator.
        public static let noStore = Code(rawValue: 21)
        /// An argument is out of range: the number of a page below 0, for example.
        public static let invalidArgument = Code(rawValue: 22)
        /// A save was to wait, inside of another, for what may be waiting for that one.
        public static let wouldDeadlock = Code(rawValue: 23)
    }

    /// What went wrong.
    public var code: Code
    /// One sentence that says what happened.
    public var message: String
    /// One sentence that says what to do, when that is known.
    public var advice: String?
    /// The entity concerned.
    public var entity: String?
    /// The attribute, relationship or key path concerned.
    public var key: String?
    /// The object concerned.
    public var objectID: NSManagedObjectID?
    /// The error that caused this one.
    public var underlying: (any Error)?

    public init(
        _ code: Code,
        _ message: String,
        advice: String? = nil,
        entity: String? = nil,
        key: String? = nil,
        objectID: NSManagedObjectID? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.advice = advice
        self.entity = entity
        self.key = key
        self.objectID = objectID
        self.underlying = underlying
    }

}

extension MagicalRecordError.Code {
    /// Matches an error that carries this code, so that codes can stand in `catch` patterns.
    public static func ~= (code: MagicalRecordError.Code, error: any Error) -> Bool {
        (error as? MagicalRecordError)?.code == code
    }
}

extension MagicalRecordError: CustomStringConvertible {
    public var description: String {
        var text = message
        let places = [entity.map { "entity \($0)" }, key.map { "key \($0)" }].compactMap { $0 }
        if !places.isEmpty { text += " (" + places.joined(separator: ", ") + ")" }
        if let advice { text += " " + advice }
        if let underlying { text += " Cause: \(underlying)" }
        return text
    }
}

extension MagicalRecordError: LocalizedError {
    public var errorDescription: String? { message }
    public var recoverySuggestion: String? { advice }
}

extension MagicalRecordError: CustomNSError {
    public static var errorDomain: String { "MagicalRecordErrorDomain" }
    public var errorCode: Int { code.rawValue }

    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let advice { info[NSLocalizedRecoverySuggestionErrorKey] = advice }
        if let key { info[NSValidationKeyErrorKey] = key }
        if let entity { info["entity"] = entity }
        if let objectID { info["objectID"] = objectID }
        if let underlying { info[NSUnderlyingErrorKey] = underlying as NSError }
        return info
    }
}

extension MagicalRecordError {
    static let tornDown = MagicalRecordError(.tornDown, "The stack has been torn down.", advice: "Set up a new one.")
}
