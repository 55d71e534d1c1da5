import CoreDataRuntimeSupport
import Foundation
import Synchronization

/// Memory for the slabs of large fetches.
///
/// Most of the cost of memory is the first touch of each page. So large fetches take pieces of regions, each of which the
/// system may back by one huge page; a freed piece is reused before another is touched. A region is unmapped once none of its
/// pieces is in use; one empty region is cached.
///
/// Slabs of some ten to hundred rows share pieces: they are allocated one after the other from a piece, which is reused once
/// all of them are freed. So an object may keep more memory alive than its slab, but never more than a piece.
package enum SlabMemory {
    package static let pieceBytes = 1 << 16
    private static let regionBytes = 1 << 21
    private static let allFree = UInt32.max

    package typealias Region = UnsafeMutablePointer<RegionState>

    package struct Piece {
        package let start: UnsafeMutableRawPointer
        package let region: Region
    }

    package struct RegionState {
        package let start: UnsafeMutableRawPointer
        /// A bit for each free piece.
        fileprivate var free = allFree
        /// The neighbors in the list of regions with free pieces.
        fileprivate var previous: Region?
        fileprivate var next: Region?
    }

    private static let pool = Pool()
    /// Thread Sanitizer does not see that retain/release orders the last read of a piece before its reuse; for freed memory
    /// it does.
    private static let isWatched = dlsym(nil, "__tsan_init") != nil

    /// The header of a piece that is shared by parts.
    private struct PartsHeader {
        let region: Region
        var used = headerBytes
        var parts = 0
    }

    /// Returns an uninitialized part of a piece. Returns nil for unsuitable sizes, and until enough memory has been requested
    /// for a region to be worth its first touch.
    package static func takePart(_ bytes: Int) -> UnsafeMutableRawPointer? {
        guard bytes >= smallestPart, bytes <= largestPart else { return nil }
        let bytes = (bytes + 15) & ~15
        if let part = pool.takePart(bytes) { return part }
        guard pool.wantsParts, let piece = take() else { return nil }
        let (part, unused) = pool.share(piece, bytes)
        if let unused { giveBack(unused.start, of: unused.region) }
        return part
    }

    package static let smallestPart = 1 << 10
    /// The maximum size of a part: four fit into a piece, with its header.
    package static let largestPart = (pieceBytes - headerBytes) / 4 & ~15
    private static let headerBytes = 64
    /// The number of bytes that must be requested before parts are used.
    private static let partsThreshold = 1 << 19

    package static func givePartBack(_ start: UnsafeMutableRawPointer) {
        let piece = UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: start) & ~UInt(pieceBytes - 1))
            .unsafelyUnwrapped
        if let region = pool.givePartBack(piece) { giveBack(piece, of: region) }
    }

    /// Returns an uninitialized piece; nil if the system has no memory.
    package static func take() -> Piece? {
        if let piece = pool.take() { return piece }
        guard !isWatched, let start = map() else { return nil }
        let region = Region.allocate(capacity: 1)
        region.initialize(to: RegionState(start: start))
        return pool.take(from: region)
    }

    package static func giveBack(_ start: UnsafeMutableRawPointer, of region: Region) {
        let index = (start - region.pointee.start) / pieceBytes
        guard pool.giveBack(index, of: region) else { return }
        munmap(region.pointee.start, regionBytes)
        region.deallocate()
    }

    /// A pool of the regions with free pieces, as a linked list.
    private final class Pool: @unchecked Sendable {
        private let lock = SpinLock()
        @exclusivity(unchecked) private var first: Region?
        /// The number of regions without a used piece.
        @exclusivity(unchecked) private var unused = 0
        /// The piece from which the next part is allocated.
        @exclusivity(unchecked) private var shared: UnsafeMutablePointer<PartsHeader>?
        @exclusivity(unchecked) private var askedFor = 0

        func take() -> Piece? {
            lock.lock()
            defer { lock.unlock() }
            return first.map(piece)
        }

        /// Adds a new region and takes a piece from it.
        func take(from region: Region) -> Piece {
            lock.lock()
            defer { lock.unlock() }
            add(region)
            unused += 1
            return piece(of: region)
        }

        func takePart(_ bytes: Int) -> UnsafeMutableRawPointer? {
            lock.lock()
            defer { lock.unlock() }
            guard let shared else {
                askedFor += bytes
                return nil
            }
            guard shared.pointee.used + bytes <= pieceBytes else { return nil }
            return addPart(bytes, to: shared)
        }

        var wantsParts: Bool {
            lock.lock()
            defer { lock.unlock() }
            return askedFor >= partsThreshold
        }

        /// Starts another piece and returns a part of it, and the previous piece if none of its parts is in use.
        func share(_ piece: Piece, _ bytes: Int) -> (part: UnsafeMutableRawPointer, unused: Piece?) {
            lock.lock()
            defer { lock.unlock() }
            let last = shared
            let header = piece.start.bindMemory(to: PartsHeader.self, capacity: 1)
            header.initialize(to: PartsHeader(region: piece.region))
            shared = header
            let isUnused = last?.pointee.parts == 0
            return (
                addPart(bytes, to: header),
                isUnused ? last.map { Piece(start: UnsafeMutableRawPointer($0), region: $0.pointee.region) } : nil
            )
        }

        private func addPart(_ bytes: Int, to header: UnsafeMutablePointer<PartsHeader>) -> UnsafeMutableRawPointer {
            defer { header.pointee.used += bytes }
            header.pointee.parts += 1
            return UnsafeMutableRawPointer(header) + header.pointee.used
        }

        /// Frees a part; returns the region of the piece if no part of the piece is in use any more.
        func givePartBack(_ piece: UnsafeMutableRawPointer) -> Region? {
            lock.lock()
            defer { lock.unlock() }
            let header = piece.assumingMemoryBound(to: PartsHeader.self)
            header.pointee.parts -= 1
            guard header.pointee.parts == 0 else { return nil }
            guard header == shared else { return header.pointee.region }
            header.initialize(to: PartsHeader(region: header.pointee.region))
            return nil
        }

        private func piece(of region: Region) -> Piece {
            if region.pointee.free == allFree { unused -= 1 }
            let index = region.pointee.free.trailingZeroBitCount
            region.pointee.free &= region.pointee.free - 1
            if region.pointee.free == 0 { remove(region) }
            return Piece(start: region.pointee.start + index * pieceBytes, region: region)
        }

        /// Frees a piece; returns true if the region was removed from the list and must be unmapped.
        func giveBack(_ index: Int, of region: Region) -> Bool {
            lock.lock()
            defer { lock.unlock() }
            if region.pointee.free == 0 { add(region) }
            region.pointee.free |= 1 << UInt32(index)
            guard region.pointee.free == allFree else { return false }
            unused += 1
            guard unused > 1 else { return false }
            unused -= 1
            remove(region)
            return true
        }

        private func add(_ region: Region) {
            region.pointee.next = first
            region.pointee.previous = nil
            first?.pointee.previous = region
            first = region
        }

        private func remove(_ region: Region) {
            let (previous, next) = (region.pointee.previous, region.pointee.next)
            if let previous { previous.pointee.next = next } else { first = next }
            next?.pointee.previous = previous
        }
    }

    /// Maps memory for a region, at an address that is aligned for a huge page.
    private static func map() -> UnsafeMutableRawPointer? {
        guard var start = map(regionBytes) else { return nil }
        let aligned = { (start: UnsafeMutableRawPointer) in start.alignedUp(toMultipleOf: regionBytes) }
        if aligned(start) != start {
            munmap(start, regionBytes)
            guard let wide = map(2 * regionBytes) else { return nil }
            start = aligned(wide)
            if start > wide { munmap(wide, start - wide) }
            let (end, wideEnd) = (start + regionBytes, wide + 2 * regionBytes)
            if end < wideEnd { munmap(end, wideEnd - end) }
        }
        #if os(Linux)
        // If this is refused, the region has pages of the usual size.
        madvise(start, regionBytes, MADV_HUGEPAGE)
        #endif
        return start
    }

    private static func map(_ bytes: Int) -> UnsafeMutableRawPointer? {
        let start = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        return start == MAP_FAILED ? nil : start
    }
}
