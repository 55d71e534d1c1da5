import Foundation

extension DamageKind {
    /// Damage to the pages of the file.
    static let pages: [DamageKind] = [
        onPage("leaf-zeroed") {
            $0.pages.ofRows(.tableLeaf)
        } with: { target, page in
            target.zero(target.pages.start(page), target.pages.pageSize)
        },
        onPage("interior-zeroed") {
            $0.pages.ofRows(.tableInterior)
        } with: { target, page in
            target.zero(target.pages.start(page), target.pages.pageSize)
        },
        DamageKind("page-1-zeroed") { target in
            target.zero(0, target.pages.pageSize)
            return true
        },
        DamageKind("header-zeroed") { target in
            target.zero(0, 100)
            return true
        },
        DamageKind("header-garbage") { target in
            target.write(target.bytes(100), at: 0)
            return true
        },
        DamageKind("pointer-map-zeroed") { target in
            guard target.pages.hasPointerMap else { return false }
            target.zero(target.pages.start(2), target.pages.pageSize)
            return true
        },
        DamageKind("leaves-swapped") { target in
            let leaves = target.pages.ofRows(.tableLeaf).map(\.number).shuffled(using: &target.random)
            guard leaves.count > 1 else { return false }
            target.copyPage(leaves[0], to: leaves[1])
            target.copyPage(leaves[1], to: leaves[0])
            return true
        },
        DamageKind("leaf-copied") { target in
            let leaves = target.pages.ofRows(.tableLeaf).map(\.number).shuffled(using: &target.random)
            guard leaves.count > 1 else { return false }
            target.copyPage(leaves[0], to: leaves[1])
            return true
        },
        onPage("torn-write", .findingIfNotIntact) {
            $0.pages.ofRows(.tableLeaf)
        } with: { target, page in
            let sector = target.number(0..<target.pages.pageSize / 512)
            target.write(target.bytes(512), at: target.pages.start(page) + sector * 512)
        },
        DamageKind("bits-flipped", .findingIfNotIntact) { target in
            for _ in 0..<8 {
                let place = target.number(0..<target.files.main.count)
                target.write([target.files.main[place] ^ 1 << UInt8(target.number(0..<8))], at: place)
            }
            return true
        },
        onPage("page-garbage") {
            $0.pages.ofRows(.tableLeaf)
        } with: { target, page in
            target.write(target.bytes(target.pages.pageSize), at: target.pages.start(page))
        },
        onPage("half-page-zeroed") {
            $0.pages.ofRows(.tableLeaf)
        } with: { target, page in
            target.zero(target.pages.start(page), target.pages.pageSize / 2)
        },
        onPage("cell-pointers-destroyed") {
            $0.pages.ofRows(.tableLeaf)
        } with: { target, page in
            let count = target.pages.cells(target.files.main, page).count
            target.write(target.bytes(count * 2), at: target.pages.header(page) + 8)
        },
        onPage("cell-count-zeroed") {
            $0.pages.ofRows(.tableLeaf)
        } with: { target, page in
            target.zero(target.pages.header(page) + 3, 2)
        },
        DamageKind("freelist-loop") { target in
            // A trunk that is its own successor.
            guard target.pages.freelistTrunk > 0 else { return false }
            let trunk = UInt32(target.pages.freelistTrunk)
            target.write(bigEndian(trunk), at: target.pages.start(target.pages.freelistTrunk))
            target.write(bigEndian(UInt32(target.pages.pageCount)), at: 36)
            return true
        },
        DamageKind("overflow-broken") { target in
            guard let chain = target.pick(target.pages.chains) else { return false }
            target.write(bigEndian(UInt32(target.pages.pageCount + 77)), at: chain.place)
            return true
        },
        DamageKind("overflow-loop") { target in
            guard let chain = target.pick(target.pages.chains) else { return false }
            target.write(bigEndian(UInt32(chain.page)), at: target.pages.start(chain.page))
            return true
        },
        onPage("index-garbage") {
            $0.pages.of(.indexLeaf)
        } with: { target, page in
            target.write(target.bytes(target.pages.pageSize), at: target.pages.start(page))
        },
        onPage("schema-zeroed") {
            $0.pages.of(.tableLeaf, table: "sqlite_schema")
        } with: { target, page in
            let header = target.pages.header(page)
            target.zero(header, target.pages.start(page) + target.pages.pageSize - header)
        },
        DamageKind("child-loop") { target in
            // An interior page that refers to itself.
            guard let page = target.pick(target.pages.ofRows(.tableInterior))?.number else { return false }
            target.write(bigEndian(UInt32(page)), at: target.pages.header(page) + 8)
            return true
        },
    ]

    private static func onPage(
        _ name: String, _ expectation: Expectation = .finding,
        of pages: @escaping @Sendable (Target) -> [DamagePages.Page],
        with change: @escaping @Sendable (inout Target, Int) -> Void
    ) -> DamageKind {
        DamageKind(name, expectation) { target in
            guard let page = target.pick(pages(target)) else { return false }
            change(&target, page.number)
            return true
        }
    }

    static func bigEndian(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    /// Damage to whole files: their length, the log, the files of external values.
    static let files: [DamageKind] = [
        cut("cut-90") { $0 * 9 / 10 / 512 * 512 }, cut("cut-50") { $0 / 2 / 512 * 512 },
        DamageKind("cut-one-page") { target in
            guard target.store.shape.variant != .logged else { return false }
            target.files.main.removeLast(target.pages.pageSize)
            return true
        },
        cut("cut-odd") { $0 - $0 / 5 - 333 },
        // A file that a checkpoint completed does not say that it had a log.
        DamageKind("log-lost", .anything) { target in
            guard target.files.log?.isEmpty == false else { return false }
            target.files.log = nil
            return true
        },
        DamageKind("log-foreign", .anything) { target in
            guard target.store.shape.variant != .rollbackJournal, let other = DamageShape.named("many-to-many-log")
            else { return false }
            guard target.store.shape.name != other.name else {
                target.files = try DamageStore.of(.manyToMany).files
                target.files.log = target.store.files.log
                return true
            }
            // Beside an empty file, the log of another store is that other store.
            guard target.store.shape.variant != .logged else { return false }
            target.files.log = try DamageStore.of(other).files.log
            return true
        },
        DamageKind("log-torn", .anything) { target in
            guard let log = target.files.log, log.count > 20_000 else { return false }
            let place = target.number(log.count / 3..<log.count - 600)
            let garbage = target.bytes(512)
            target.files.log?.replaceSubrange(place..<place + 512, with: garbage)
            return true
        },
        DamageKind("log-cut", .anything) { target in
            guard let log = target.files.log, log.count > 20_000 else { return false }
            let count = target.number(1..<log.count * 2 / 3)
            target.files.log?.removeLast(count)
            return true
        },
        DamageKind("external-missing") { target in
            guard let file = target.pick(target.files.external) else { return false }
            target.files.files[file] = nil
            return true
        },
        DamageKind("external-orphaned") { target in
            guard let file = target.files.external.first else { return false }
            let folder = (file as NSString).deletingLastPathComponent
            target.files.files["\(folder)/6F1A5D1E-0000-4000-8000-00000000ABCD"] = target.bytes(300)
            return true
        },
    ]

    private static func cut(_ name: String, _ length: @escaping @Sendable (Int) -> Int) -> DamageKind {
        DamageKind(name) { target in
            guard target.store.shape.variant != .logged else { return false }
            let count = length(target.files.main.count)
            guard count > 0, count < target.files.main.count else { return false }
            target.files.main.removeLast(target.files.main.count - count)
            return true
        }
    }
}
