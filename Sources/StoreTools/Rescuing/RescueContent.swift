import Foundation
import ModelFormat

/// A damaged store's description of itself: metadata, model and entity numbers, from wherever they can still be read.
struct RescueContent {
    /// The property list of the metadata as it was stored, and its values.
    var list: Data?
    var metadata: [String: Any] = [:]
    var uuid: String?
    /// The cached model as it was stored.
    var cache: Data?
    var cachedModel: Model?
    /// The rows of `Z_PRIMARYKEY` by name.
    var entities: [String: (number: Int, parent: Int, highest: Int64)] = [:]
    /// The parts that could not be read as they should, and where it came from.
    var remarks: [String] = []

    /// The number of blobs that are tried as a model.
    private static let mostTries = 1000
    /// The seconds that may be spent on blobs that are none: a small one can expand to many megabytes.
    private static let mostSeconds = 3.0

    /// The contents that are no model.
    private var unreadable: Set<Data> = []
    private var seconds = 0.0

    init(_ database: Database?, _ survey: PageSurvey) throws {
        if let database { read(database) }
        guard list == nil || cachedModel == nil || entities.isEmpty else { return }
        let (hadList, hadModel, hadEntities) = (list != nil, cachedModel != nil, !entities.isEmpty)
        try search(survey, keepsEntities: hadEntities)
        if !hadList, list != nil { remarks.append("The metadata were found on a page outside their table.") }
        if !hadModel, cachedModel != nil { remarks.append("The model was found on a page outside its table.") }
    }

    /// The version hashes in the metadata; nil if there are none.
    var hashes: [String: Data]? {
        guard let hashes = metadata["NSStoreModelVersionHashes"] as? [String: Data], !hashes.isEmpty else { return nil }
        return hashes
    }

    private mutating func read(_ database: Database) {
        if let rows = try? database.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA") {
            while (try? rows.step()) == true, list == nil { take(uuid: rows.text(0), list: rows.data(1)) }
        }
        if let rows = try? database.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE") {
            while (try? rows.step()) == true, cachedModel == nil {
                if let data = rows.data(0) { take(cache: data) }
            }
        }
        if let rows = try? database.prepare("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY NOT INDEXED") {
            while (try? rows.step()) == true {
                take(rows.integer(0), rows.text(1), rows.integer(2), rows.integer(3))
            }
        }
    }

    private mutating func search(_ survey: PageSurvey, keepsEntities: Bool) throws {
        func rank(_ page: Int) -> Int {
            switch survey.owner(of: page) {
            case .tree: 0
            case .pointerMap: 1
            case .unknown: 2
            case .free: 3
            }
        }
        for wanted in 0...3 {
            for page in survey.leafPages where rank(page) == wanted {
                _ = try survey.rows(of: page) { row in
                    let values = row.values
                    switch values.count {
                    case 1:
                        guard cachedModel == nil, case .blob(let data) = values[0] else { return }
                        take(cache: data)
                    case 3:
                        guard list == nil, values[0] == .null, case .blob(let data) = values[2] else { return }
                        var name: String?
                        if case .text(let text) = values[1] { name = text }
                        guard name == nil || UUID(uuidString: name!) != nil else { return }
                        take(uuid: name, list: data)
                    case 4:
                        guard !keepsEntities, values[0] == .null, case .text(let name) = values[1],
                            case .integer(let parent) = values[2]
                        else { return }
                        var highest: Int64 = 0
                        if case .integer(let number) = values[3] { highest = number }
                        take(row.key, name, parent, highest)
                    default: break
                    }
                }
            }
            if list != nil, cachedModel != nil, !entities.isEmpty { return }
        }
    }

    private mutating func take(uuid text: String?, list data: Data?) {
        if uuid == nil, let text, UUID(uuidString: text) != nil { uuid = text }
        guard list == nil, let data, let values = PropertyListDictionary.read(data) else { return }
        list = data
        metadata = values
    }

    private mutating func take(cache data: Data) {
        guard cachedModel == nil, data.count > 8, unreadable.count < Self.mostTries, seconds < Self.mostSeconds,
            !unreadable.contains(data)
        else { return }
        let start = ProcessInfo.processInfo.systemUptime
        guard let model = try? Model(cacheContent: data), !model.entities.isEmpty else {
            unreadable.insert(data)
            seconds += ProcessInfo.processInfo.systemUptime - start
            return
        }
        cache = data
        cachedModel = model
    }

    private mutating func take(_ number: Int64, _ name: String?, _ parent: Int64, _ highest: Int64) {
        guard let name, !name.isEmpty, let number = Int(exactly: number), number > 0, number <= Int(Int32.max),
            let parent = Int(exactly: parent), entities[name] == nil
        else { return }
        entities[name] = (number, parent, highest)
    }
}
