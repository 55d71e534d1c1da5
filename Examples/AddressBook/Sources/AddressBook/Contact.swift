import Foundation

/// A user as the server sends it: one record of the JSON file.
struct Contact: Decodable, Sendable {
    var userID: Int32
    var userName: String
    var displayName: String
    var email: String?
    var phoneNumber: String?
    var sipNumber: String?
    var countryCode: Int32
    var balance: Double
    var isFriend: Bool
    var status: Int32
    var avatar: String?
    var lastUpdate: Date?

    private enum CodingKeys: String, CodingKey {
        case userID = "user_id"
        case userName = "user_name"
        case displayName = "display_name"
        case email
        case phoneNumber = "phone_number"
        case sipNumber = "sip_number"
        case countryCode = "country_code"
        case balance
        case isFriend = "is_friend"
        case status
        case avatar
        case lastUpdate = "last_update"
    }
}

extension Contact {
    /// Reads a whole file, before anything touches the store: one bad record and nothing is imported.
    static func read(from url: URL) throws -> [Contact] {
        let name = url.lastPathComponent
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw Failure("\(url.path) cannot be read.", because: error, advice: "Give the path of a JSON file.")
        }
        do {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            return try decoder.decode([Contact].self, from: data)
        } catch let error as DecodingError {
            throw Failure(
                "\(name) is not a list of contacts: \(error.explanation).",
                advice: "Nothing was imported. Correct the file and try again.")
        }
    }
}

extension DecodingError {
    /// What is wrong and where, in words: "record 17, user_id: expected a number".
    fileprivate var explanation: String {
        switch self {
        case .keyNotFound(let key, let context): "\(place(context))the key \(key.stringValue) is missing"
        case .valueNotFound(_, let context): "\(place(context))there is no value"
        case .typeMismatch(let type, let context): "\(place(context))a value of type \(type) is needed"
        case .dataCorrupted(let context): "\(place(context))\(context.debugDescription.trimmingPeriod)"
        @unknown default: "\(self)"
        }
    }

    private func place(_ context: Context) -> String {
        let path = context.codingPath.map { key in
            key.intValue.map { "record \($0 + 1)" } ?? key.stringValue
        }
        return path.isEmpty ? "" : path.joined(separator: ", ") + ": "
    }
}

extension String {
    fileprivate var trimmingPeriod: String {
        hasSuffix(".") ? String(dropLast()) : self
    }
}
