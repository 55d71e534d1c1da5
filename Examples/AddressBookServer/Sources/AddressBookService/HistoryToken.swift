import Foundation
import MagicalRecord

/// A place in the store's history, as a text that is safe in a URL.
///
/// The text is not an archive of `NSKeyedArchiver`: it comes from clients, and damaged archives can end the process.
public struct HistoryToken: @unchecked Sendable {
    // Tokens are immutable.
    let token: NSPersistentHistoryToken

    init(_ token: NSPersistentHistoryToken) { self.token = token }

    /// Returns the token of a text, or nil if the text is none.
    public init?(_ text: String) {
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
        guard text.utf8.count < 4_096, let data = Data(base64Encoded: base64 + padding),
            let parts = try? JSONDecoder().decode(TokenParts.self, from: data),
            let token = NSPersistentHistoryToken(coder: TokenCoder(parts))
        else { return nil }
        self.token = token
    }

    /// The text of the token.
    public var text: String {
        get throws {
            let coder = TokenCoder(TokenParts())
            token.encode(with: coder)
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try encoder.encode(coder.parts).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
    }
}
