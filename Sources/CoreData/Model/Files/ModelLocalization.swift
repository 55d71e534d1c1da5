import Foundation
import ModelFormat
import Synchronization

/// The localized texts of a model: those set by the program, or else those of the strings files beside the model's file, which
/// are read on first use.
///
/// Thread-safe.
final class ModelLocalization: Sendable {
    private enum Source {
        case texts([String: String])
        /// A model file with a strings file that has not been searched for yet.
        case model(URL)
    }

    /// The sources of texts in order: the first one with a key provides its text. Most models have a single source, which needs
    /// no array.
    private struct Sources {
        var first: Source?
        var others: [Source] = []

        var all: [Source] { (first.map { [$0] } ?? []) + others }

        mutating func append(_ source: Source) {
            if first == nil {
                first = source
            } else {
                others.append(source)
            }
        }
    }

    private let sources = Mutex(Sources())

    /// All texts; nil if there are none.
    var texts: [String: String]? {
        sources.withLock { sources in
            var texts: [String: String]?
            for source in sources.all {
                let found: [String: String]?
                switch source {
                case .texts(let known): found = known
                case .model(let file): found = Self.texts(beside: file)
                }
                if let found { texts = (texts ?? [:]).merging(found) { first, _ in first } }
            }
            sources = Sources(first: texts.map { .texts($0) })
            return texts
        }
    }

    /// Replaces all texts, including those of files.
    func set(_ texts: [String: String]?) {
        sources.withLock { $0 = Sources(first: texts.map { .texts($0) }) }
    }

    /// Adds the file from which the model was loaded as a source.
    func noteModelFile(_ url: URL) {
        sources.withLock { $0.append(.model(url)) }
    }

    /// Adds the texts of a model merged into this one. Existing keys keep their texts.
    func merge(_ other: ModelLocalization) {
        let theirs = other.sources.withLock { $0.all }
        sources.withLock { sources in
            for source in theirs { sources.append(source) }
        }
    }

    // MARK: Files

    private static func texts(beside model: URL) -> [String: String]? {
        guard let file = file(for: model) else { return nil }
        do {
            return try StringsFile.read(at: file)
        } catch {
            NSLog("CoreData: error: Failed to load the texts of a model: %@", "\(error)")
            return nil
        }
    }

    /// Returns the strings file of a model: `NameModel.strings`, as Apple's framework names it, or `Name.strings`, in the
    /// model's folder. The folder of the preferred language (`de.lproj`) is searched first.
    ///
    /// - Parameter languages: languages in order of preference; nil for the user's languages.
    static func file(for model: URL, languages: [String]? = nil) -> URL? {
        var model = model.standardizedFileURL
        // A version in a bundle uses the texts of the bundle.
        let parent = model.deletingLastPathComponent()
        if ["momd", "xcdatamodeld"].contains(parent.pathExtension) { model = parent }
        let folder = model.deletingLastPathComponent()
        let name = model.deletingPathExtension().lastPathComponent
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let available = names.filter { $0.hasSuffix(".lproj") }.sorted().map { String($0.dropLast(6)) }
        let preferred = UserLanguages.matching(languages ?? UserLanguages.preferred(), among: available)
        let folders = (preferred + ["Base", "en"]).map { folder.appendingPathComponent($0 + ".lproj") } + [folder]
        for folder in folders {
            for name in [name + "Model", name] {
                let file = folder.appendingPathComponent(name).appendingPathExtension("strings")
                if FileManager.default.fileExists(atPath: file.path) { return file }
            }
        }
        return nil
    }
}

extension NSManagedObjectModel {
    /// Returns the localized name of an entity's property, or the property's name if there is no text for it.
    func localizedName(ofProperty name: String, of entity: NSEntityDescription) -> String {
        guard let texts = localizationDictionary else { return name }
        var current: NSEntityDescription? = entity
        while let entity = current {
            if let text = entity.name.flatMap({ texts["Property/\(name)/Entity/\($0)"] }) { return text }
            current = entity.superentity
        }
        return texts["Property/\(name)"] ?? name
    }

    /// Returns the text of a validation warning in the user's language.
    func localizedWarning(_ text: String) -> String {
        localizationDictionary?["ErrorString/\(text)"] ?? text
    }
}
