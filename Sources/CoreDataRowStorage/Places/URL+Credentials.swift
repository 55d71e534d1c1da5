import Foundation

extension URL {
    /// The URL for messages, logs and errors: that of a server without passwords, that of a file unchanged.
    package var withoutPasswords: URL {
        guard !isFileURL else { return self }
        // A URL without slashes after the scheme has no parts.
        if host == nil, absoluteString.contains("@") { return bare }
        guard password != nil || query != nil else { return self }
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return bare }
        if parts.password != nil { parts.password = Self.omission }
        if let items = parts.percentEncodedQueryItems {
            parts.percentEncodedQueryItems = items.map { item in
                guard item.value != nil, Self.isSecret(item.name.removingPercentEncoding ?? item.name) else {
                    return item
                }
                return URLQueryItem(name: item.name, value: Self.omission)
            }
        }
        return parts.url ?? bare
    }

    /// The place in messages: the path of a file, else the URL without passwords.
    package var nameInMessages: String { isFileURL ? path : withoutPasswords.absoluteString }

    /// Stands for what is left out.
    private static let omission = "***"

    private static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["password", "secret", "token"].contains { name.contains($0) }
    }

    /// The scheme and the host alone.
    private var bare: URL { URL(string: "\(scheme ?? "unknown")://\(host ?? "")") ?? URL(fileURLWithPath: "/dev/null") }
}
