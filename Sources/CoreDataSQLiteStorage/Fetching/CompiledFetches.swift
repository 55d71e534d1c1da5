import CoreDataSQLQueries
import Foundation
import PredicateFormat

/// A compiled fetch in the cache of its store.
class KnownFetch {
    let compiled: CompiledFetch
    fileprivate let digest: Int
    /// The next entry of the chain.
    fileprivate var next: KnownFetch?

    init(_ compiled: CompiledFetch, digest: Int) {
        self.compiled = compiled
        self.digest = digest
    }

    /// Returns itself if it is the fetch of a template and variant.
    func found(
        by template: PredicateTemplate, _ variant: FetchVariant, _ descriptors: [NSSortDescriptor]
    ) -> TemplateFetch? { nil }

    func isFound(by shape: RequestShape) -> Bool { false }
}

/// A compiled fetch that is found by the shape of its request.
final class ShapedFetch: KnownFetch {
    private let shape: RequestShape

    init(_ shape: RequestShape, _ compiled: CompiledFetch) {
        self.shape = shape
        super.init(compiled, digest: shape.digest)
    }

    override func isFound(by shape: RequestShape) -> Bool { self.shape == shape }
}

/// The cache of one store's compiled fetches, by the templates of their predicates and by the shapes of their requests.
struct CompiledFetches {
    /// The hash chains, indexed by the lowest bits of the digests, which need no further hashing.
    private var chains = ContiguousArray<KnownFetch?>(repeating: nil, count: Self.chainCount)
    private var count = 0

    private static let chainCount = 128
    private static let maximum = 1000

    func find(
        _ template: PredicateTemplate, _ variant: FetchVariant, _ descriptors: [NSSortDescriptor]
    ) -> TemplateFetch? {
        var entry = chains[Self.chain(of: TemplateFetch.digest(template, variant, descriptors))]
        while let current = entry {
            if let found = current.found(by: template, variant, descriptors) { return found }
            entry = current.next
        }
        return nil
    }

    func find(_ shape: RequestShape) -> CompiledFetch? {
        var entry = chains[Self.chain(of: shape.digest)]
        while let current = entry {
            if current.isFound(by: shape) { return current.compiled }
            entry = current.next
        }
        return nil
    }

    mutating func remember(_ fetch: KnownFetch) {
        if count >= Self.maximum {
            for chain in chains.indices { chains[chain] = nil }
            count = 0
        }
        let chain = Self.chain(of: fetch.digest)
        fetch.next = chains[chain]
        chains[chain] = fetch
        count += 1
    }

    private static func chain(of digest: Int) -> Int {
        Int(truncatingIfNeeded: UInt(bitPattern: digest) % UInt(chainCount))
    }
}
