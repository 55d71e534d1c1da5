import CoreData

// What prints a store never prints the password of its URL.

extension MagicalRecord.Store: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type and the place, without passwords: `PostgreSQL postgresql://ann@db.example.com/addressbook`.
    public var description: String {
        var text = type
        if case .memory = location {} else { text += " \(location)" }
        if let configuration { text += ", configuration \(configuration)" }
        return isReadOnly ? text + ", read-only" : text
    }

    /// The text of ``description``.
    public var debugDescription: String { description }

    /// The properties as `dump` prints them: without passwords, and of the options only the keys.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "type": type, "location": location, "configuration": configuration as Any,
            "options": options.keys.sorted(), "isReadOnly": isReadOnly,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

extension MagicalRecord.Store.Location: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name or path of a file, or the URL of a server without password and parameters.
    public var description: String {
        switch self {
        case .memory: "memory"
        case .named(let name, let directory): directory?.appendingPathComponent(name).path ?? name
        case .url(let url): url.isFileURL ? url.path : Self.text(ofServer: url)
        }
    }

    /// The text of ``description``.
    public var debugDescription: String { description }

    /// The form in which `dump` prints it: ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["description": description], displayStyle: .enum) }

    private static func text(ofServer url: URL) -> String {
        // A URL without slashes after the scheme has no parts.
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true), parts.host != nil else {
            return "\(url.scheme ?? ""):…"
        }
        (parts.password, parts.query, parts.fragment) = (nil, nil, nil)
        return parts.string ?? "\(url.scheme ?? ""):…"
    }
}
