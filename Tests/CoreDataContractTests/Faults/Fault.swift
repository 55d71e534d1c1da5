import CoreDataRowStorage

/// A way to break a rule of the contract.
enum Fault: CaseIterable, Sendable {
    case losesARow, losesAReference, repeatsARow, seesOneEntity, seesEveryEntity, tellsTheRootForItsEntity
    case deliversUnwantedValues, losesAKey, readsAKeyTwice, readsOneValueForAnother, keepsRowsAfterRenewal
    case inventsRows, losesARowAfterRenewal, tellsOtherVersions
    case ignoresOrder, reversesOrder
    case ignoresLimit, ignoresOffset, countsWithoutLimit, countsWithoutOffset
    case ignoresPredicate, countsWithoutPredicate
    case countsEntitiesBelow, countsOneTooMany
    case losesAColumn, keepsEqualDictionaries, ignoresHaving, ignoresLimitOfDictionaries, givesKeysForObjects
    case ignoresPredicateOfDictionaries, seesEveryEntityInDictionaries, changesNumbersOfDictionaries, inventsADictionary
    case losesAMember, losesAMemberOfMany, forgetsOrder, forgetsOrderOfMany, mixesUpOwners, announcesOwnersTwice
    case reservesAKeyTwice, reservesOneTooFew, reservesNothing, tellsNoKeys, tellsOneKeyForAll, inventsKeys
    case savesNothing, losesUpdates, losesDeletions, losesAnInsertion, writesUnchangedCells, losesEmptyText
    case changesWhatItIsGiven, writesCheckedRows
    case losesAddedMembers, losesRemovedMembers, losesNewOrders
    case saysNoConflict, savesBesideConflicts, tellsOneConflict, hidesPresentRow, tellsAnotherErrorForConflicts
    case ignoresLocks, hidesExistingRow
    case leadsToNoRow, tellsOneDestination, tellsAnotherErrorForDestinations, savesBesideMissingDestinations
    case miscountsBatches, losesRowsOfBatches, ignoresPredicateOfBatches, ignoresConflictRule, doesNothingInBatches
    case hidesErrorsOfBatches
    case reversesHistory, losesAChange, ignoresPlaceInHistory, ignoresLimitOfHistory, purgesNothing, tellsNoMark
    case mistakesKinds, forgetsProperties, knowsEveryMark, losesAuthors, hidesErrorsOfHistory
    case forgetsWhatWasPurged, tellsOfACommitTooLate, forgetsReaders
    case showsThePresentInSnapshots, hasNoSnapshots, writesToSnapshots
    case hidesCommits, answersAfterItsEnd, letsOthersWrite
    case takesErrorsForEmpty, takesErrorsForNoDictionaries, countsAnErrorAsZero, savesAfterRetiring, retiresAfterFailure

    /// The rules that find it. What nearly all of them would find stands with those that are about it.
    var chapter: Chapter {
        switch self {
        case .losesARow, .losesAReference, .repeatsARow, .seesOneEntity, .seesEveryEntity, .tellsTheRootForItsEntity,
            .deliversUnwantedValues, .losesAKey, .readsAKeyTwice, .readsOneValueForAnother,
            .keepsRowsAfterRenewal, .inventsRows, .losesARowAfterRenewal, .tellsOtherVersions:
            .reading
        case .ignoresOrder, .reversesOrder: .order
        case .ignoresLimit, .ignoresOffset, .countsWithoutLimit, .countsWithoutOffset: .limits
        case .ignoresPredicate, .countsWithoutPredicate: .predicates
        case .countsEntitiesBelow, .countsOneTooMany: .counts
        case .losesAColumn, .keepsEqualDictionaries, .ignoresHaving, .ignoresLimitOfDictionaries,
            .givesKeysForObjects, .ignoresPredicateOfDictionaries, .seesEveryEntityInDictionaries,
            .changesNumbersOfDictionaries, .inventsADictionary:
            .dictionaries
        case .losesAMember, .losesAMemberOfMany, .forgetsOrder, .forgetsOrderOfMany, .mixesUpOwners,
            .announcesOwnersTwice:
            .toMany
        case .reservesAKeyTwice, .reservesOneTooFew, .reservesNothing, .tellsNoKeys, .tellsOneKeyForAll, .inventsKeys:
            .keys
        case .savesNothing, .losesUpdates, .losesDeletions, .losesAnInsertion, .writesUnchangedCells,
            .losesEmptyText, .changesWhatItIsGiven, .writesCheckedRows:
            .saves
        case .losesAddedMembers, .losesRemovedMembers, .losesNewOrders: .links
        case .saysNoConflict, .savesBesideConflicts, .tellsOneConflict, .hidesPresentRow,
            .tellsAnotherErrorForConflicts, .ignoresLocks, .hidesExistingRow:
            .conflicts
        case .leadsToNoRow, .tellsOneDestination, .tellsAnotherErrorForDestinations,
            .savesBesideMissingDestinations:
            .destinations
        case .miscountsBatches, .losesRowsOfBatches, .ignoresPredicateOfBatches, .ignoresConflictRule,
            .doesNothingInBatches, .hidesErrorsOfBatches:
            .batches
        case .reversesHistory, .losesAChange, .ignoresPlaceInHistory, .ignoresLimitOfHistory, .purgesNothing,
            .tellsNoMark, .mistakesKinds, .forgetsProperties, .knowsEveryMark, .losesAuthors, .hidesErrorsOfHistory,
            .forgetsWhatWasPurged, .tellsOfACommitTooLate, .forgetsReaders:
            .history
        case .showsThePresentInSnapshots, .hasNoSnapshots, .writesToSnapshots: .snapshots
        case .hidesCommits, .answersAfterItsEnd, .letsOthersWrite: .sessions
        case .takesErrorsForEmpty, .takesErrorsForNoDictionaries, .countsAnErrorAsZero, .savesAfterRetiring,
            .retiresAfterFailure:
            .failures
        }
    }

    /// What an engine must be able to do for the fault to show.
    var needs: StoreAbilities {
        switch self {
        case .hidesExistingRow: .uniqueness
        case .letsOthersWrite: .exclusiveWrites
        default:
            switch chapter {
            case .batches: .batches
            case .history: .history
            case .snapshots: .snapshots
            default: []
            }
        }
    }
}
