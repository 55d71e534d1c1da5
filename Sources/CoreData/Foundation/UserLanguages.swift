import Foundation

/// The user's languages. Foundation ignores the environment variables for them off Apple's platforms.
enum UserLanguages {
    /// Returns the user's languages, most preferred first, from the usual environment variables: the list in `LANGUAGE`, or
    /// else `LC_ALL`, `LC_MESSAGES` or `LANG`.
    static func preferred(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> [String] {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let list = environment["LANGUAGE"].map { $0.split(separator: ":").map(String.init) } ?? []
        return (list + [locale]).compactMap { name in
            let language = name.prefix { $0 != "." && $0 != "@" }.replacingOccurrences(of: "_", with: "-")
            return ["", "C", "POSIX"].contains(language) ? nil : language
        }
    }

    /// Returns the available languages that match the preferred ones, best first: `de` matches `de-AT`.
    static func matching(_ wanted: [String], among available: [String]) -> [String] {
        var found: [String] = []
        for language in wanted {
            var parts = language.lowercased().split(separator: "-")[...]
            while !parts.isEmpty {
                let name = parts.joined(separator: "-")
                found += available.filter {
                    $0.lowercased().replacingOccurrences(of: "_", with: "-") == name && !found.contains($0)
                }
                parts = parts.dropLast()
            }
        }
        return found
    }
}
