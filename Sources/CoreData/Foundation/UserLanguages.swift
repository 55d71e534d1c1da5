import Foundation

/// Which language to speak. Foundation off Apple knows nothing of the environment's choice.
enum UserLanguages {
    /// The languages the user wants, most wanted first, from the environment variables all programs follow: `LANGUAGE`, a
    /// list, else `LC_ALL`, `LC_MESSAGES` or `LANG`.
    static func preferred(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> [String] {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let list = environment["LANGUAGE"].map { $0.split(separator: ":").map(String.init) } ?? []
        return (list + [locale]).compactMap { name in
            let language = name.prefix { $0 != "." && $0 != "@" }.replacingOccurrences(of: "_", with: "-")
            return ["", "C", "POSIX"].contains(language) ? nil : language
        }
    }

    /// Those of the languages at hand that suit the wanted ones, best first: `de` will do for `de-AT`.
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
