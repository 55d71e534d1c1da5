import Foundation

extension Trial {
    /// Runs a workload of the M… family, called through MagicalRecord.
    @MainActor
    public func run(_ engineType: any FaceEngine.Type) throws -> Sample {
        var meter = Meter()
        let engine = try engineType.init(storeAt: store)
        let checksum = try perform(engine, meter: &meter)
        try engine.close()
        return sample(engineType.name, meter, checksum, Latencies())
    }

    @MainActor
    private func perform(_ engine: any FaceEngine, meter: inout Meter) throws -> Checksum {
        // Half of these users exist in the store.
        let known = rows - 5_000..<rows + 5_000
        switch workload {
        case .faceFindTogether, .faceFindEach:
            let keys = People.scatteredIDs(10_000, outOf: rows)
            return try meter.measure { try engine.find(keys, together: workload == .faceFindTogether) }
        case .faceFindInOneRead:
            let keys = People.scatteredIDs(10_000, outOf: rows)
            return try meter.measure { try engine.findInOneRead(keys) }
        case .faceSearch:
            let keys = People.scatteredIDs(1_000, outOf: rows - 400)
            return try meter.measure { try engine.search(from: keys, limit: 50) }
        case .faceFindOrCreate:
            let people = People.users(known, edition: 1)
            try meter.measure { try engine.findOrCreate(people) }
        case .faceSaveEach:
            let people = People.users(rows..<rows + 1_000)
            try meter.measure { try engine.saveEach(people) }
        case .faceImport:
            let json = try JSONSerialization.data(withJSONObject: People.users(known, edition: 1).map(\.record))
            try meter.measure { try engine.importRecords(json: json) }
        case .faceWatch:
            let places = People.scatteredIDs(1_000, outOf: rows).map { Int($0) - 1 }
            let rename = try engine.watch()
            return try meter.measure { try rename(places) }
        default:
            throw BenchmarkError("\(workload.rawValue) is not called through MagicalRecord")
        }
        return Checksum()
    }
}

extension UserRow {
    /// The JSON record of the user. nil becomes null, because an import does not change attributes without a key in the record.
    fileprivate var record: [String: Any] {
        [
            "userID": userID, "name": name, "email": email, "phone": phone, "balance": balance, "isFriend": isFriend,
            "country": country, "lastUpdate": lastUpdate.timeIntervalSince1970, "status": status,
            "avatar": avatar ?? NSNull(), "notes": notes ?? NSNull(), "createdAt": createdAt.timeIntervalSince1970,
        ]
    }
}
