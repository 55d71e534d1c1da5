import Foundation
import MagicalRecord

/// A place in the store's history, as a text that is safe in a URL.
public struct HistoryToken: @unchecked Sendable {
    // Tokens are immutable.
    let token: NSPersistentHistoryToken

    init(_ token: NSPersistentHistoryToken) { self.token = token }

    /// Returns the token of a text, or nil if the text is none.
    public init?(_ text: String) {
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
        guard text.utf8.count < 4_096, let data = Data(base64Encoded: base64 + padding),
            let token = try? NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data)
        else { return nil }
        self.token = token
    }

    /// The text of the token.
    public var description: String {
        get throws {
            try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
    }
}
